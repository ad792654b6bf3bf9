import type { StateBlock } from "markdown-it";
import { findFenceEnd, type FenceLine, readFence } from "./fence-lines.ts";
import { isIndentedCode, isTooDeep, lineText } from "./nesting.ts";

/** Parses a fenced block: code, `math`, or one of the containers `quote` and `spoiler` (rendering.md §2). */
export function fence(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (isIndentedCode(state, start)) return false;
  const opening = readFence(lineText(state, start));
  if (opening === undefined) return false;
  if (silent) return true;
  const container = opening.isContainer && !isTooDeep(state);
  const last = findFenceEnd(
    state,
    start,
    end,
    container ? opening : { ...opening, isContainer: false },
  );
  const closed =
    last < end && readFence(lineText(state, last)) !== undefined && !isOutdented(state, last);
  if (!container) pushCode(state, opening, start, last);
  else if (opening.language === "quote") {
    state.push("blockquote_open", "blockquote", 1);
    readInside(state, start + 1, last);
    state.push("blockquote_close", "blockquote", -1);
  } else {
    pushSpoiler(state, opening, start, last);
  }
  state.line = closed ? last + 1 : last;
  return true;
}

function isOutdented(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) < state.blkIndent;
}

function pushCode(state: StateBlock, opening: FenceLine, start: number, last: number): void {
  const token = state.push(opening.language === "math" ? "math_block" : "fence", "code", 0);
  token.info = opening.language;
  token.content = state.getLines(start + 1, last, state.sCount[start] ?? 0, true);
}

function pushSpoiler(state: StateBlock, opening: FenceLine, start: number, last: number): void {
  state.push("spoiler_open", "div", 1);
  if (opening.rest !== "") {
    state.push("paragraph_open", "p", 1);
    const header = state.push("inline", "", 0);
    header.content = opening.rest;
    header.children = [];
    state.push("paragraph_close", "p", -1);
  }
  state.push("spoiler_content", "div", 0);
  readInside(state, start + 1, last);
  state.push("spoiler_close", "div", -1);
}

function readInside(state: StateBlock, from: number, to: number): void {
  const { lineMax, parentType } = state;
  state.parentType = "root";
  state.lineMax = to;
  state.md.block.tokenize(state, from, to);
  state.lineMax = lineMax;
  state.parentType = parentType;
}
