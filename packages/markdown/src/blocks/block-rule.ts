import type { StateBlock } from "markdown-it";

/** A block rule of the engine: reads at `startLine`, or only tells whether it could when `silent`. */
export type BlockRule = (
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
) => boolean;
