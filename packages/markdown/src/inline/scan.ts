import type { Inline } from "../document.ts";
import { emojiHtml } from "../emoji/html.ts";
import { isEmojiLead } from "../emoji/unicode.ts";
import { channelLink } from "./channel-link.ts";
import { codeSpan } from "./code-span.ts";
import { add, type Cursor, flush, type InlineContext } from "./cursor.ts";
import { delimiters, pairDelimiters } from "./delimiters.ts";
import { namedEmoji, unicodeEmoji } from "./emoji.ts";
import { entity } from "./entity.ts";
import { lineBreak } from "./line-break.ts";
import { link } from "./link.ts";
import { findMarks, type Mark } from "./marks.ts";
import { math } from "./math.ts";
import { mention } from "./mention.ts";
import type { InlineRule } from "./rule.ts";
import { time } from "./time.ts";

/** Rules by the ASCII character that begins them. */
const RULES: (InlineRule | undefined)[] = Array.from({ length: 128 });
RULES["\n".charCodeAt(0)] = lineBreak;
RULES["`".charCodeAt(0)] = codeSpan;
RULES["*".charCodeAt(0)] = delimiters;
RULES["~".charCodeAt(0)] = delimiters;
RULES["@".charCodeAt(0)] = mention;
RULES["#".charCodeAt(0)] = channelLink;
RULES["[".charCodeAt(0)] = link;
RULES["<".charCodeAt(0)] = time;
RULES["$".charCodeAt(0)] = math;
RULES[":".charCodeAt(0)] = namedEmoji;
RULES["&".charCodeAt(0)] = entity;

/** Reads the inline markup of one paragraph, heading or cell. */
export function scanInline(source: string, context: InlineContext, quoted: boolean): Inline[] {
  const cursor: Cursor = {
    source,
    context,
    quoted,
    marks: findMarks(source, context.translateEmoticons),
    nextMark: 0,
    bracketing: undefined,
    insideLink: false,
    hasDelimiters: false,
    textStart: 0,
    nodes: [],
  };
  return scanRange(cursor, 0, source.length, false);
}

/** Reads the markup from `start` to `end` into a list of its own; inside a link no further links are made. */
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
  const { source } = cursor;
  let mark = markFrom(cursor, start);
  for (let at = start; at < end;) {
    if (mark !== undefined && at >= mark.start) {
      if (at === mark.start && mark.end <= end) at = readMark(cursor, mark);
      else cursor.nextMark++;
      mark = markFrom(cursor, at);
      continue;
    }
    const code = source.charCodeAt(at);
    const rule = code < 128 ? RULES[code] : isEmojiLead(code) ? unicodeEmoji : undefined;
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

/** Adds what the mark stands for and returns the position to go on at. */
function readMark(cursor: Cursor, mark: Mark): number {
  cursor.nextMark++;
  if (mark.kind === "emoticon") {
    add(cursor, { kind: "html", html: emojiHtml(mark.name) }, mark.start, mark.end);
    return mark.end;
  }
  if (!cursor.insideLink) {
    const text = cursor.source.slice(mark.start, mark.end);
    const label = [{ kind: "text" as const, text }];
    add(cursor, { kind: "link", href: mark.href, label }, mark.start, mark.end);
  }
  return mark.end;
}
