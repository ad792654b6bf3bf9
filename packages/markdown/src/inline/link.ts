import MarkdownIt from "markdown-it";
import { linkTarget } from "../links/target.ts";
import { findBracketing } from "./bracketing.ts";
import { add, type Cursor } from "./cursor.ts";
import { scanRange } from "./scan-range.ts";

const { parseLinkDestination, parseLinkTitle } = new MarkdownIt().helpers;

/** Parses `[text](url)`; an empty text shows the URL. With a refused target the source stays text. */
export function link(cursor: Cursor, at: number, end: number): number {
  if (cursor.insideLink) return at;
  const { source } = cursor;
  cursor.bracketing ??= findBracketing(source);
  const close = cursor.bracketing.brackets.get(at);
  if (close === undefined || close + 2 >= end || source[close + 1] !== "(") return at;
  const destination = parseLinkDestination(source, skipSpace(source, close + 2, end), end);
  if (!destination.ok) return at;
  const after = endOfTarget(source, destination.pos, end);
  const href = after < 0 ? undefined : linkTarget(destination.str);
  if (href === undefined) return at;
  const label =
    close === at + 1
      ? [{ kind: "text" as const, text: destination.str }]
      : scanRange(cursor, at + 1, close, true);
  add(cursor, { kind: "link", href, label, isTyped: true }, at, after);
  return after;
}

/** Returns the position after the `)`; an optional title before it is ignored; -1 without `)`. */
function endOfTarget(source: string, from: number, end: number): number {
  let at = skipSpace(source, from, end);
  if (at > from && source[at] !== ")") {
    const title = parseLinkTitle(source, at, end);
    if (title.ok) at = skipSpace(source, title.pos, end);
  }
  return at < end && source[at] === ")" ? at + 1 : -1;
}

function skipSpace(source: string, from: number, end: number): number {
  let at = from;
  while (at < end && source[at] === " ") at++;
  return at;
}
