import type { Page } from "playwright-core";

/** A script that notes the long tasks of a page. */
export const noteLongTasks = `globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  }).observe({ type: "longtask" });`;

/** Returns the milliseconds of the longest task since the last call, and prints them. */
export async function longestTask(page: Page, what: string): Promise<number> {
  const tasks = await page.evaluate<number[]>("longTasks.splice(0)");
  const longest = Math.round(Math.max(0, ...tasks));
  console.log(`        ${what}: ${tasks.length} long tasks, the longest ${longest} ms`);
  return longest;
}
