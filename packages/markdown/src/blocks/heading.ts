import type { StateBlock } from "markdown-it";
import { isIndentedCode, lineText } from "./nesting.ts";

const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;

/** Parses `# T` to `###### T`; the space and a text are required. */
export function heading(state: StateBlock, line: number, _end: number, silent: boolean): boolean {
  if (isIndentedCode(state, line)) return false;
  const match = HEADING.exec(lineText(state, line));
  if (match === null) return false;
  if (silent) return true;
  const tag = `h${match[1]?.length ?? 1}`;
  state.line = line + 1;
  state.push("heading_open", tag, 1);
  const inline = state.push("inline", "", 0);
  inline.content = withoutClosing((match[2] ?? "").trim());
  inline.children = [];
  state.push("heading_close", tag, -1);
  return true;
}

/** Removes the optional closing run of `#`. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") end--;
  return end < text.length && end > 0 && text[end - 1] === " " ? text.slice(0, end).trim() : text;
}
