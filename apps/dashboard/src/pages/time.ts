import { html, type Html } from "@carillon/kit";
import { clock, fromNow } from "../spans.ts";

/**
 * Renders a time relative to now, with the exact time on hover.
 * @param now UNIX seconds by the database's clock; undefined shows the instant itself
 */
export function relativeTime(unixSeconds: number, now: number | undefined): Html {
  const instant = clock(unixSeconds);
  return html`<time datetime="${new Date(unixSeconds * 1_000).toISOString()}" title="${instant}"
    >${now === undefined ? instant : fromNow(unixSeconds, now)}</time
  >`;
}
