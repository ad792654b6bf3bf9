import type { Lookups } from "./types.ts";

/** 20 times the longest message (rendering.md §1). No text is known that comes to more than 15 times its length. */
const LONGEST_HTML = 200_000;

/**
 * Characters of HTML that the emoji, mentions, links by name, times, formulas and linkifiers of one text may have beyond
 * their source: 500 emoji (rendering.md §1).
 */
export const MARKUP_ALLOWANCE = 50_000;

/** The text renders to more than 20 times the longest message: the send or edit is refused. */
export class RenderLimitError extends Error {
  constructor() {
    super(`The text renders to more than ${LONGEST_HTML} characters of HTML; shorten it`);
    this.name = "RenderLimitError";
  }
}

/** What phase 2 has seen so far. */
export interface Rendering {
  readonly lookups: Lookups;
  readonly userIds: Set<number>;
  readonly groupIds: Set<number>;
  channelWildcard: boolean;
  topicWildcard: boolean;
  hasLink: boolean;
  hasAttachment: boolean;
  /** What TeX may still cost. */
  texLeft: number;
  /** What is left of {@link MARKUP_ALLOWANCE}; below 0 for the rest of the text once an element was too long. */
  markupLeft: number;
}

/** Whether the text may have an element of `html` characters for `source` characters; takes them from its allowance. */
export function takeMarkup(rendering: Rendering, html: number, source: number): boolean {
  if (rendering.markupLeft < 0) return false;
  rendering.markupLeft -= Math.max(0, html - source);
  return rendering.markupLeft >= 0;
}

/** Throws `RenderLimitError` when `html` has grown too long. */
export function checkLength(html: string): void {
  if (html.length > LONGEST_HTML) throw new RenderLimitError();
}
