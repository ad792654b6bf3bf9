import type { Lookups } from "./types.ts";

/** 100 times the longest message (rendering.md §1). */
const LONGEST_HTML = 1_000_000;

/** The text renders to more than 100 times the longest message: the send or edit is refused. */
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
}

/** Throws `RenderLimitError` when `html` has grown too long. */
export function checkLength(html: string): void {
  if (html.length > LONGEST_HTML) throw new RenderLimitError();
}
