import type { BrowserContext, Page } from "playwright-core";

/** Holds requests back. @returns a function that lets them go on */
export async function holdRequests(of: BrowserContext | Page, url: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await of.route(url, async (route) => {
    await held;
    await route.fallback();
  });
  return release;
}
