import MarkdownIt from "markdown-it";
import { linkTarget, uploadPath } from "../links/target.ts";
import { findBracketing } from "./bracketing.ts";
import { add, type Cursor } from "./cursor.ts";
import { scanRange } from "./scan-range.ts";

const { parseLinkDestination, parseLinkTitle } = new MarkdownIt().helpers;

/** Parses `[text](url)`; an empty text shows the URL. With a refused target the source stays text. */
export function link(cursor: Cursor, at: number, end: number): number {
  const target = targetAt(cursor, at, end);
  if (!target) return at;
  add(cursor, linkNode(cursor, at, target), at, target.after);
  return target.after;
}

/** Parses `![alt](url)` of an uploaded file. With another target the `!` is text before a link. */
export function image(cursor: Cursor, at: number, end: number): number {
  const { source } = cursor;
  if (source[at + 1] !== "[") return at;
  const target = targetAt(cursor, at + 1, end);
  if (!target || uploadPath(target.href) === undefined) return at;
  const alt = source.slice(at + 2, target.close);
  const node = linkNode(cursor, at + 1, target);
  add(cursor, { kind: "image", alt, link: node }, at, target.after);
  return target.after;
}

/** What follows the text of a link. */
interface Target {
  readonly href: string;
  /** As written. */
  readonly destination: string;
  /** Position of the `]`. */
  readonly close: number;
  readonly after: number;
}

/** Reads the target of a link that begins at `at`; undefined if there is none. */
function targetAt(cursor: Cursor, at: number, end: number): Target | undefined {
  if (cursor.insideLink) return undefined;
  const { source } = cursor;
  cursor.bracketing ??= findBracketing(source);
  const close = cursor.bracketing.brackets.get(at);
  if (close === undefined || close + 2 >= end || source[close + 1] !== "(") return undefined;
  const destination = parseLinkDestination(source, skipSpace(source, close + 2, end), end);
  if (!destination.ok) return undefined;
  const after = endOfTarget(source, destination.pos, end);
  const href = after < 0 ? undefined : linkTarget(destination.str);
  return href === undefined ? undefined : { href, destination: destination.str, close, after };
}

function linkNode(cursor: Cursor, at: number, { href, destination, close }: Target) {
  const label =
    close === at + 1
      ? [{ kind: "text" as const, text: destination }]
      : scanRange(cursor, at + 1, close, true);
  return { kind: "link" as const, href, label, isTyped: true };
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
