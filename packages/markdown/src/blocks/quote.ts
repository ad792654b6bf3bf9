import type { StateBlock } from "markdown-it";
import type { BlockRule } from "./block-rule.ts";
import { isTooDeep, lineText } from "./nesting.ts";

/**
 * Maximum number of lines in one text that the engine's rule scans beyond the quotes it finds. It scans up to the next
 * blank line, because a line without `>` may continue the quote's last paragraph.
 */
const MAX_WASTED_LINES = 1_000;

const wastedLines = new WeakMap<StateBlock, number>();

/** Parses `> a` by the engine's rule; a lone `>` is text. */
export function quote(original: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    const text = lineText(state, start);
    if (text.charCodeAt(0) !== 0x3e || /^[> \t]*$/.test(text) || isTooDeep(state)) return false;
    const seen = wastedLines.get(state) ?? 0;
    if (silent || seen >= MAX_WASTED_LINES) {
      return original(state, start, silent ? end : endOfMarked(state, start, end), silent);
    }
    const reach = nextBlank(state, start, Math.min(end, start + MAX_WASTED_LINES));
    const found = original(state, start, end, silent);
    wastedLines.set(state, seen + Math.max(0, reach - state.line));
    return found;
  };
}

function nextBlank(state: StateBlock, start: number, end: number): number {
  let line = start + 1;
  while (line < end && !state.isEmpty(line)) line++;
  return line;
}

/** Returns the first line without a `>`. */
function endOfMarked(state: StateBlock, start: number, end: number): number {
  let line = start + 1;
  while (line < end && lineText(state, line).charCodeAt(0) === 0x3e) line++;
  return line;
}
