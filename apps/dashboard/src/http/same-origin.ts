import type { Context } from "koa";

/**
 * Whether a changing request comes from our own pages or from no page. A browser adds credentials to requests of foreign
 * pages too, but names their origin; a program names none, and has credentials of its own.
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
