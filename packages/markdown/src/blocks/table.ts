import type { StateBlock } from "markdown-it";
import type { BlockRule } from "./block-rule.ts";
import { lineText } from "./nesting.ts";

/** Limit of cells: rows are padded to the header's width, so a short text could make a huge table. */
const MOST_CELLS = 10_000;
/** Limit of cells if columns are aligned: such cells take 40 characters of HTML instead of 10. */
const MOST_ALIGNED_CELLS = 2_500;

/** Parses pipe tables by the engine's rule; one that exceeds the limit of cells is text. */
export function table(original: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    const delimiter = start + 1 < end ? lineText(state, start + 1).charCodeAt(0) : 0;
    if (delimiter !== 0x7c && delimiter !== 0x2d && delimiter !== 0x3a) return false;
    const columns = countPipes(state, start);
    if (columns === 0) return false;
    const most = lineText(state, start + 1).includes(":") ? MOST_ALIGNED_CELLS : MOST_CELLS;
    if (columns * (end - start) > most) return false;
    return original(state, start, end, silent);
  };
}

/** Checked first, because most lines are not a header and lists ask for each of their lines. */
function countPipes({ src, bMarks, eMarks }: StateBlock, line: number): number {
  const end = eMarks[line] ?? 0;
  let pipes = 0;
  for (let at = bMarks[line] ?? 0; at < end; at++) if (src.charCodeAt(at) === 0x7c) pipes++;
  return pipes;
}
