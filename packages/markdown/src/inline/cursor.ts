import type { Inline, Reference } from "../document.ts";
import type { LinkifierMatch } from "../linkifiers/linkifiers.ts";
import type { Bracketing } from "./bracketing.ts";
import type { Mark } from "./marks.ts";

/** What inline rules look up, and what they record. */
export interface InlineContext {
  /** Whether the reference is markup; phase 1 records it and returns true. */
  accepts(reference: Reference): boolean;
  /** Whether the organization has a custom emoji of this name; phase 1 records it and returns false. */
  hasCustomEmoji(name: string): boolean;
  /** Records a wildcard mention that notifies. */
  noteWildcard(kind: "channel" | "topic"): void;
  readonly translateEmoticons: boolean;
  /** Finds matches of linkifiers outside the given ranges; absent without linkifiers. */
  readonly linkify?: (source: string, taken: readonly Range[]) => readonly LinkifierMatch[];
}

/** A range of the source. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses markup that begins at `at` and ends before `end`. If it finds markup, adds it to the cursor and returns the
 * position after it. If not, returns `at`, or the end of the text
 * that it found to be plain.
 */
export type InlineRule = (cursor: Cursor, at: number, end: number) => number;

/** Rules by their first ASCII character, and one rule for non-ASCII characters. */
export interface RuleSet {
  readonly ascii: readonly (InlineRule | undefined)[];
  readonly beyond: InlineRule | undefined;
}

/** A `*` or `~` run that may be emphasis if it has a partner. */
export interface DelimiterRun {
  readonly kind: "delimiters";
  readonly marker: "*" | "~";
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Markers without a partner yet. */
  left: number;
  /** HTML of elements that end here, then of those that begin here. */
  closing: string;
  opening: string;
}

/** State of scanning one range of text. */
export interface Cursor {
  readonly source: string;
  readonly context: InlineContext;
  readonly rules: RuleSet;
  /** Ranges of found markup; `undefined` if not needed. */
  readonly taken: Range[] | undefined;
  /** Whether the text is in a quote, where mentions are silent. */
  readonly quoted: boolean;
  /** URLs, addresses and emoticons of the source, ascending. */
  readonly marks: readonly Mark[];
  nextMark: number;
  /** Found on first use. */
  bracketing: Bracketing | undefined;
  insideLink: boolean;
  hasDelimiters: boolean;
  /** Start of plain text not in `nodes` yet. */
  textStart: number;
  nodes: (Inline | DelimiterRun)[];
}

/** Adds `node` for the source from `start` to `end`, after the plain text before it. */
export function add(cursor: Cursor, node: Inline | DelimiterRun, start: number, end: number): void {
  flush(cursor, start);
  cursor.nodes.push(node);
  cursor.taken?.push({ start, end });
  cursor.textStart = end;
}

/** Adds the pending plain text before `end`. */
export function flush(cursor: Cursor, end: number): void {
  if (cursor.textStart >= end) return;
  cursor.nodes.push({ kind: "text", text: cursor.source.slice(cursor.textStart, end) });
  cursor.textStart = end;
}
