import { escapeText } from "./escape.ts";
import type { Previews } from "./previews/previews.ts";
import type { Lookups } from "./types.ts";

/** 20 times the longest message (rendering.md §1). The most expansive known text reaches 15 times its length. */
export const LONGEST_HTML = 200_000;

/**
 * Allowance of HTML characters beyond the source for emoji, mentions, links by name, times, formulas and linkifiers of one
 * text: enough for 500 emoji (rendering.md §1).
 */
export const MARKUP_ALLOWANCE = 50_000;

/** The HTML of a text has more than {@link LONGEST_HTML} characters; the send or edit is refused. */
export class RenderLimitError extends Error {
  constructor() {
    super(`The text renders to more than ${LONGEST_HTML} characters of HTML; shorten it`);
    this.name = "RenderLimitError";
  }
}

/** State of phase 2, in which a parsed text becomes HTML. */
export interface Rendering {
  readonly lookups: Lookups;
  readonly userIds: Set<number>;
  readonly groupIds: Set<number>;
  channelWildcard: boolean;
  topicWildcard: boolean;
  hasLink: boolean;
  readonly uploadPaths: Set<string>;
  readonly previews: Previews;
  /** Remaining TeX cost. */
  texLeft: number;
  /** Remaining characters of code whose tokens have spans. */
  codeLeft: number;
  /** Remaining words and signs of such code. */
  codeWordsLeft: number;
  /** Rest of {@link MARKUP_ALLOWANCE}; negative once an element was too long. */
  markupLeft: number;
}

/** Takes an element's extra characters from the allowance; false if it does not suffice. */
export function takeMarkup(rendering: Rendering, html: number, source: number): boolean {
  if (rendering.markupLeft < 0) return false;
  rendering.markupLeft -= Math.max(0, html - source);
  return rendering.markupLeft >= 0;
}

/** Throws `RenderLimitError` when `html` has grown too long. */
export function checkLength(html: string): void {
  if (html.length > LONGEST_HTML) throw new RenderLimitError();
}

/** Returns the HTML of a text without interpreting its markup. */
export function plainHtml(text: string): string {
  return `<p>${escapeText(text).replaceAll("\n", "<br>\n")}</p>`;
}
