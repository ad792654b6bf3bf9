import type { Context } from "koa";

/**
 * Returns whether a request that changes something comes from our own pages or from a program. A browser also adds
 * credentials to requests of other sites' pages, but it sends their origin. A program sends no origin, and has its own
 * credentials.
 */
export function isSameOrigin(ctx: Context): boolean {
  const site = ctx.get("sec-fetch-site");
  if (site !== "") return site === "same-origin";
  const origin = ctx.get("origin");
  if (origin === "") return true;
  try {
    return new URL(origin).host === ctx.host;
  } catch {
    return false;
  }
}
