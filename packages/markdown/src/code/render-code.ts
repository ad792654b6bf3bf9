import type { CodeBlock } from "../document.ts";
import type { Rendering } from "../rendering.ts";
import { highlightCode } from "./highlight-code.ts";

/** HTML of code, for texts that are rendered twice: before and in the transaction that sends them. */
const highlighted = new WeakMap<CodeBlock, string | undefined>();

/** Returns a block's code with spans of tokens; undefined if the text has more code than may have them, or it cannot be tokenized. */
export function renderCode(block: CodeBlock, rendering: Rendering): string | undefined {
  rendering.codeLeft -= block.code.length;
  if (rendering.codeLeft < 0) return undefined;
  if (!highlighted.has(block)) highlighted.set(block, highlightCode(block.language, block.code));
  return highlighted.get(block);
}
