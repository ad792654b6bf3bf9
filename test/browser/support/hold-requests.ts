import type { BrowserContext, Page } from "playwright-core";

/** Holds requests to a URL. @returns a function that releases them */
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
