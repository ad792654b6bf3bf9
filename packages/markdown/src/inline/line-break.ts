import { add, type Cursor, flush } from "./cursor.ts";

/** Parses a newline into `<br>`; spaces around it are dropped. */
export function lineBreak(cursor: Cursor, at: number, end: number): number {
  const { source } = cursor;
  let start = at;
  while (start > cursor.textStart && isBlank(source.charCodeAt(start - 1))) start--;
  let after = at + 1;
  while (after < end && isBlank(source.charCodeAt(after))) after++;
  flush(cursor, start);
  add(cursor, { kind: "break" }, start, after);
  return after;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
