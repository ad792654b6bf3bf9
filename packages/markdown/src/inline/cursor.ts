import type { Inline, Reference } from "../document.ts";
import type { LinkifierMatch } from "../linkifiers/linkifiers.ts";
import type { Bracketing } from "./bracketing.ts";
import type { Mark } from "./marks.ts";
import type { InlineRule } from "./rule.ts";

/** What the inline rules have to ask, and where they report what they saw. */
export interface InlineContext {
  /** Whether the reference is markup; phase 1 notes the question and says yes. */
  accepts(reference: Reference): boolean;
  /** Whether the organization has a custom emoji of this name; phase 1 notes the question and says no. */
  hasCustomEmoji(name: string): boolean;
  /** A loud wildcard mention was seen. */
  noteWildcard(kind: "channel" | "topic"): void;
  readonly translateEmoticons: boolean;
  /** What linkifiers match outside of ranges; without it there are none. */
  readonly linkify?: (source: string, taken: readonly Range[]) => readonly LinkifierMatch[];
}

/** A piece of the source. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Rules by the ASCII character that begins them, and the one for those beyond. */
export interface RuleSet {
  readonly ascii: readonly (InlineRule | undefined)[];
  readonly beyond: InlineRule | undefined;
}

/** A `*` or `~` run that may become emphasis once its partner is found. */
export interface DelimiterRun {
  readonly kind: "delimiters";
  readonly marker: "*" | "~";
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Markers without a partner yet. */
  left: number;
  /** HTML of the elements that end here, then of those that begin here. */
  closing: string;
  opening: string;
}

/** Where the scanning of one piece of text stands. */
export interface Cursor {
  readonly source: string;
  readonly context: InlineContext;
  readonly rules: RuleSet;
  /** Where markup was found; `undefined` where nobody asks. */
  readonly taken: Range[] | undefined;
  /** The text stands in a quote: mentions are silent. */
  readonly quoted: boolean;
  /** URLs, addresses and emoticons of the source, ascending. */
  readonly marks: readonly Mark[];
  nextMark: number;
  /** Found on first use. */
  bracketing: Bracketing | undefined;
  insideLink: boolean;
  hasDelimiters: boolean;
  /** Start of the plain text that is not in `nodes` yet. */
  textStart: number;
  nodes: (Inline | DelimiterRun)[];
}

/** Adds `node`, which stands for the source from `start` to `end`, and the plain text before it. */
export function add(cursor: Cursor, node: Inline | DelimiterRun, start: number, end: number): void {
  flush(cursor, start);
  cursor.nodes.push(node);
  cursor.taken?.push({ start, end });
  cursor.textStart = end;
}

/** Adds the plain text that was passed over before `end`. */
export function flush(cursor: Cursor, end: number): void {
  if (cursor.textStart >= end) return;
  cursor.nodes.push({ kind: "text", text: cursor.source.slice(cursor.textStart, end) });
  cursor.textStart = end;
}
