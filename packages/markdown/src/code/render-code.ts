import type { CodeBlock } from "../document.ts";
import type { Rendering } from "../rendering.ts";
import { highlightCode } from "./highlight-code.ts";

/** Caches the HTML of code, because a text may be rendered twice: before the transaction that sends it, and in it. */
const highlighted = new WeakMap<CodeBlock, string | undefined>();

/** Matches a word, or one other character that is not white space. */
const WORD_OR_SIGN = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/**
 * Returns the HTML of a block's code with spans of tokens, and counts the code against the text's limits.
 * @returns undefined if a limit is exceeded or the code cannot be tokenized
 */
export function renderCode(block: CodeBlock, rendering: Rendering): string | undefined {
  rendering.codeLeft -= block.code.length;
  if (rendering.codeLeft < 0) return undefined;
  rendering.codeWordsLeft -= block.code.match(WORD_OR_SIGN)?.length ?? 0;
  if (rendering.codeWordsLeft < 0) return undefined;
  if (!highlighted.has(block)) highlighted.set(block, highlightCode(block.language, block.code));
  return highlighted.get(block);
}
