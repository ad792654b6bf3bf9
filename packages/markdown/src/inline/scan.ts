import type { Inline } from "../document.ts";
import { emojiHtml } from "../emoji/html.ts";
import { isEmojiLead } from "../emoji/unicode.ts";
import { channelLink } from "./channel-link.ts";
import { codeSpan } from "./code-span.ts";
import { add, type Cursor, flush, type InlineContext, type Range, type RuleSet } from "./cursor.ts";
import { delimiters, pairDelimiters } from "./delimiters.ts";
import { namedEmoji, unicodeEmoji } from "./emoji.ts";
import { entity } from "./entity.ts";
import { lineBreak } from "./line-break.ts";
import { link } from "./link.ts";
import { findMarks, type Mark, withLinks } from "./marks.ts";
import { math } from "./math.ts";
import { mention } from "./mention.ts";
import type { InlineRule } from "./rule.ts";
import { time } from "./time.ts";

/** Rules with precedence over linkifiers (rendering.md §1). */
const HIGHER: (InlineRule | undefined)[] = Array.from({ length: 128 });
HIGHER["`".charCodeAt(0)] = codeSpan;
HIGHER["@".charCodeAt(0)] = mention;
HIGHER["#".charCodeAt(0)] = channelLink;
HIGHER["[".charCodeAt(0)] = link;
HIGHER["<".charCodeAt(0)] = time;
HIGHER["$".charCodeAt(0)] = math;

const RULES = [...HIGHER];
RULES["\n".charCodeAt(0)] = lineBreak;
RULES["*".charCodeAt(0)] = delimiters;
RULES["~".charCodeAt(0)] = delimiters;
RULES[":".charCodeAt(0)] = namedEmoji;
RULES["&".charCodeAt(0)] = entity;

const higher: RuleSet = { ascii: HIGHER, beyond: undefined };
const all: RuleSet = { ascii: RULES, beyond: unicodeEmoji };

/** Parses the inline markup of one paragraph, heading or cell. */
export function scanInline(source: string, context: InlineContext, quoted: boolean): Inline[] {
  const marks = findMarks(source, context.translateEmoticons);
  const links = context.linkify?.(source, takenByHigher(source, context, marks)) ?? [];
  const cursor = begin(source, context, quoted, withLinks(marks, links), all);
  return scanRange(cursor, 0, source.length, false);
}

function begin(
  source: string,
  context: InlineContext,
  quoted: boolean,
  marks: readonly Mark[],
  rules: RuleSet,
): Cursor {
  return {
    source,
    context,
    rules,
    taken: rules === higher ? [] : undefined,
    quoted,
    marks,
    nextMark: 0,
    bracketing: undefined,
    insideLink: false,
    hasDelimiters: false,
    textStart: 0,
    nodes: [],
  };
}

/** Returns the ranges of markup that takes precedence over linkifiers. */
function takenByHigher(
  source: string,
  context: InlineContext,
  marks: readonly Mark[],
): readonly Range[] {
  const urls = marks.filter(({ kind }) => kind === "url");
  const cursor = begin(source, context, true, urls, higher);
  scanRange(cursor, 0, source.length, false);
  return cursor.taken ?? [];
}

/** Parses the markup from `start` to `end` into a list of its own. A link contains no further links. */
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
