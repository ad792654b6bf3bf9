import type { Context } from "koa";

/**
 * Whether a request that changes something was sent by a page of ours or by no page at all. A browser adds the
 * credentials to whatever it sends here, also for a page of somebody else, but it says which page that was; a program
 * says nothing, and has the credentials itself.
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
