import type { ParsedMessage } from "@carillon/markdown";

/** A text and its author, who must be able to see what it links to. */
export interface AuthoredText {
  readonly parsed: ParsedMessage;
  readonly authorId: number;
}
