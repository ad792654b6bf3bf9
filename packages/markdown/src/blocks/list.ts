import type { StateBlock } from "markdown-it";
import type { BlockRule } from "./block-rule.ts";
import { isIndentedCode, isTooDeep, lineText } from "./nesting.ts";

const MARKER = /^(?:[-*+]|\d{1,9}\.)(?:[ \t]|$)/;

/** Parses lists by the engine's rule; `1)` is text. */
export function list(original: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    if (!MARKER.test(lineText(state, start)) || isTooDeep(state)) return false;
    return original(state, start, end, silent);
  };
}

/**
 * Lets two spaces nest under any item, such as `10. a` (rendering.md §2), where the engine requires the column of the
 * item's text: the first line of an item lowers the column for the following lines.
 */
export function nestByTwo(state: StateBlock, line: number): boolean {
  if (state.tokens.at(-1)?.type !== "list_item_open" || isIndentedCode(state, line)) return false;
  const content = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  let marker = content;
  while (marker > 0 && /[ \t]/.test(state.src.charAt(marker - 1))) marker--;
  while (marker > 0 && /[-*+.\d]/.test(state.src.charAt(marker - 1))) marker--;
  const column = (state.sCount[line] ?? 0) - (content - marker);
  // Any lower, the item's own text would be indented code.
  const indent = Math.max(column + 2, state.blkIndent - 3);
  if (indent >= state.blkIndent) return false;
  state.blkIndent = indent;
  state.bMarks[line] = content;
  state.tShift[line] = 0;
  return false;
}
