import type { StateBlock } from "markdown-it";

/** Quotes, lists and fences nest this deep; what would go deeper is plain text. Lists count double. */
const DEEPEST = 40;

/** Whether another container would be too deep. */
export function isTooDeep(state: StateBlock): boolean {
  return state.level >= DEEPEST;
}

/** Four columns of indentation beyond the container make code, never another block. */
export function isIndentedCode(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

/** The line without its indentation. */
export function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}
