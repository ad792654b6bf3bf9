import type { StateBlock } from "markdown-it";

/** A block rule of the engine: parses at `startLine`; with `silent` it only reports whether it could. */
export type BlockRule = (
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
) => boolean;
