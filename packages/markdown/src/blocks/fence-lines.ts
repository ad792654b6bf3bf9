import type { StateBlock } from "markdown-it";
import { isIndentedCode, lineText } from "./nesting.ts";

/** The first line of a fenced block. */
export interface FenceLine {
  /** The backticks or tildes; the same run closes the block. */
  readonly marks: string;
  /** First word after the marks: `python`, `quote`; `""` for none. */
  readonly language: string;
  /** What follows the first word: the header of a spoiler. */
  readonly rest: string;
  /** Whether it contains Markdown: a quote or a spoiler. */
  readonly isContainer: boolean;
}

const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))[ \t]*(?:\{?\.?([^\s`{}]+)\}?(?:[ \t]+(.*))?)?$/;

/** Parses an opening or closing line, given without indentation. */
export function readFence(line: string): FenceLine | undefined {
  const first = line.charCodeAt(0);
  if (first !== 0x60 && first !== 0x7e) return undefined;
  const match = FENCE.exec(line.trimEnd());
  if (match === null) return undefined;
  const [, marks = "", language = "", rest = ""] = match;
  // `` ```code``` `` on one line is inline code.
  if (first === 0x60 && rest.includes("`")) return undefined;
  const isContainer = language === "quote" || language === "spoiler";
  return { marks, language, rest: rest.trim(), isContainer };
}

/**
 * Returns the line that closes the fence opened at `start`, or the one where its container ends. Inside a quote or spoiler,
 * a fence with a language or other marks opens a nested block.
 */
export function findFenceEnd(
  state: StateBlock,
  start: number,
  end: number,
  opening: FenceLine,
): number {
  const open = [opening];
  let line = start + 1;
  for (; line < end; line++) {
    if ((state.sCount[line] ?? 0) < state.blkIndent && !state.isEmpty(line)) break;
    if (isIndentedCode(state, line)) continue;
    const fence = readFence(lineText(state, line));
    if (fence === undefined) continue;
    const innermost = open.at(-1);
    if (fence.language === "" && fence.marks === innermost?.marks) {
      open.pop();
      if (open.length === 0) break;
    } else if (innermost?.isContainer === true) {
      open.push(fence);
    }
  }
  return line;
}
