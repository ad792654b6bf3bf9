import type { StateBlock } from "markdown-it";

/** Maximum nesting of quotes, lists and fences; deeper markup is plain text. Lists count double. */
const DEEPEST = 40;

/** Whether another container would exceed the maximum nesting. */
export function isTooDeep(state: StateBlock): boolean {
  return state.level >= DEEPEST;
}

/** Whether a line is indented code: four columns beyond the container. */
export function isIndentedCode(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

/** Returns the line without its indentation. */
export function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}
