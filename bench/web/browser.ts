import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { Member } from "../lib/world.ts";

/** Paths at which Debian and other systems install it. */
const executables = [
  process.env["CARILLON_TEST_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Starts headless Chromium, whose frames are drawn as fast as on a screen. */
export function startBrowser(): Promise<Browser> {
  const executablePath = executables.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined)
    throw new Error("there is no Chromium: name one with CARILLON_TEST_CHROMIUM");
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** A tab in which a member is signed in. Its cache is empty at first. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** Opens a tab for a member, without going anywhere. */
export async function openTab(browser: Browser, site: string, member: Member): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 800 } });
  const page = await context.newPage();
  const { email, apiKey, id: userId } = member;
  const kept = { accounts: [{ site, email, apiKey, userId }], current: 0 };
  await page.addInitScript(
    `localStorage.setItem("carillon:accounts", ${JSON.stringify(JSON.stringify(kept))});${watcher}`,
  );
  return { page, context };
}

/** Notes in the page when the first message is drawn, and how long scripts have kept each frame. */
const watcher = `
  globalThis.bench = { shownMs: undefined, scripts: [] };
  new PerformanceObserver((list) => {
    for (const { scripts } of list.getEntries())
      bench.scripts.push({
        ms: scripts.reduce((sum, { duration }) => sum + duration, 0),
        names: scripts.map(({ invoker, duration }) => invoker + " " + Math.round(duration)).join(", "),
      });
  }).observe({ type: "long-animation-frame", buffered: true });
  const observer = new MutationObserver(() => {
    if (!document.querySelector("[data-message-id]")) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (bench.shownMs = performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true });
`;

/** Waits until messages are drawn. Returns the milliseconds since the navigation began. */
export async function untilMessages({ page }: Tab): Promise<number> {
  await page.locator("[data-message-id]").first().waitFor({ timeout: 60_000 });
  for (;;) {
    const shownMs = await page.evaluate<number | null>("bench.shownMs ?? null");
    if (shownMs !== null) return shownMs;
  }
}

/** Returns the bytes of JavaScript objects that are in use after a garbage collection. */
export async function heapOf({ page, context }: Tab): Promise<number> {
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

/** The time that scripts took of one long animation frame. */
export interface Frame {
  readonly ms: number;
  /** Each script with its milliseconds. */
  readonly names: string;
}

/** Returns the frame that scripts have kept the longest since the last call, and the number of frames over 50 ms. */
export async function longestFrame({ page }: Tab): Promise<Frame & { readonly over50: number }> {
  const frames = await page.evaluate<readonly Frame[]>("bench.scripts.splice(0)");
  const [longest = { ms: 0, names: "" }] = frames.toSorted((a, b) => b.ms - a.ms);
  const over50 = frames.filter(({ ms }) => ms > 50).length;
  return { ...longest, names: longest.names || "no scripts", over50 };
}
