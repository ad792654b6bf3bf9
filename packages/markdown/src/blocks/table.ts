import type { BlockRule } from "./block-rule.ts";
import { lineText } from "./nesting.ts";

/** Rows are filled up to the header's width, so a short text can make a table of any size. */
const MOST_CELLS = 10_000;

/** Pipe tables by the engine's rule; one that could have more cells than that is text. */
export function table(original: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    const delimiter = start + 1 < end ? lineText(state, start + 1).charCodeAt(0) : 0;
    if (delimiter !== 0x7c && delimiter !== 0x2d && delimiter !== 0x3a) return false;
    const columns = lineText(state, start).split("|").length - 1;
    if (columns === 0 || columns * (end - start) > MOST_CELLS) return false;
    return original(state, start, end, silent);
  };
}
