import type { Inline } from "../document.ts";
import { channelLink } from "./channel-link.ts";
import { codeSpan } from "./code-span.ts";
import type { Cursor, InlineContext, InlineRule, Range, RuleSet } from "./cursor.ts";
import { delimiters } from "./delimiters.ts";
import { namedEmoji, unicodeEmoji } from "./emoji.ts";
import { entity } from "./entity.ts";
import { lineBreak } from "./line-break.ts";
import { image, link } from "./link.ts";
import { findMarks, type Mark, withLinks } from "./marks.ts";
import { math } from "./math.ts";
import { mention } from "./mention.ts";
import { scanRange } from "./scan-range.ts";
import { time } from "./time.ts";

/** Rules with precedence over linkifiers (rendering.md §1). */
const HIGHER: (InlineRule | undefined)[] = Array.from({ length: 128 });
HIGHER["`".charCodeAt(0)] = codeSpan;
HIGHER["@".charCodeAt(0)] = mention;
HIGHER["#".charCodeAt(0)] = channelLink;
HIGHER["!".charCodeAt(0)] = image;
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
