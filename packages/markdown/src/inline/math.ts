import { add, type Cursor } from "./cursor.ts";

const MATH = /\$\$((?:\\\$|[^\n_$])(?:\\\$|[^$\n])*?)\$\$(?!\$)/y;
const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;

/** Parses `$$x$$` on one line; amounts of money and `$$$` stay text. */
export function math(cursor: Cursor, at: number, end: number): number {
  const { source } = cursor;
  if (at > 0 && WORD_CHARACTER.test(source.charAt(at - 1))) return at;
  MATH.lastIndex = at;
  const match = MATH.exec(source);
  if (match === null || MATH.lastIndex > end) return at;
  const after = MATH.lastIndex;
  add(cursor, { kind: "math", tex: match[1] ?? "" }, at, after);
  return after;
}
