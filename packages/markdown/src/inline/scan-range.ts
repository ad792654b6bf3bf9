import type { Inline } from "../document.ts";
import { emojiHtml } from "../emoji/html.ts";
import { isEmojiLead } from "../emoji/unicode.ts";
import { add, type Cursor, flush } from "./cursor.ts";
import { pairDelimiters } from "./delimiters.ts";
import type { Mark } from "./marks.ts";

/** Parses the markup from `start` to `end` into a separate list. A link contains no further links. */
export function scanRange(
  cursor: Cursor,
  start: number,
  end: number,
  insideLink: boolean,
): Inline[] {
  const { nodes, textStart, hasDelimiters, insideLink: outer } = cursor;
  cursor.nodes = [];
  cursor.textStart = start;
  cursor.hasDelimiters = false;
  cursor.insideLink = insideLink;
  scanTo(cursor, start, end);
  const result = cursor.hasDelimiters
    ? pairDelimiters(cursor.nodes)
    : cursor.nodes.filter((node) => node.kind !== "delimiters");
  cursor.nodes = nodes;
  cursor.textStart = textStart;
  cursor.hasDelimiters = hasDelimiters;
  cursor.insideLink = outer;
  return result;
}

function scanTo(cursor: Cursor, start: number, end: number): void {
  const { source, rules } = cursor;
  let mark = markFrom(cursor, start);
  for (let at = start; at < end;) {
    if (mark !== undefined && at >= mark.start) {
      if (at === mark.start && mark.end <= end) at = readMark(cursor, mark);
      else cursor.nextMark++;
      mark = markFrom(cursor, at);
      continue;
    }
    const code = source.charCodeAt(at);
    const rule = code < 128 ? rules.ascii[code] : isEmojiLead(code) ? rules.beyond : undefined;
    if (rule === undefined) {
      at++;
      continue;
    }
    const after = rule(cursor, at, end);
    at = after > at ? after : at + 1;
    if (mark !== undefined && at > mark.start) mark = markFrom(cursor, at);
  }
  flush(cursor, end);
}

function markFrom(cursor: Cursor, at: number): Mark | undefined {
  while ((cursor.marks[cursor.nextMark]?.start ?? at) < at) cursor.nextMark++;
  return cursor.marks[cursor.nextMark];
}

/** Adds the mark's markup and returns the position after it. */
function readMark(cursor: Cursor, mark: Mark): number {
  cursor.nextMark++;
  if (mark.kind === "emoticon") {
    const source = cursor.source.slice(mark.start, mark.end);
    add(cursor, { kind: "element", html: emojiHtml(mark.name), source }, mark.start, mark.end);
    return mark.end;
  }
  if (!cursor.insideLink) {
    const text = cursor.source.slice(mark.start, mark.end);
    const label = [{ kind: "text" as const, text }];
    add(cursor, { kind: "link", href: mark.href, label, isTyped: false }, mark.start, mark.end);
  }
  return mark.end;
}
