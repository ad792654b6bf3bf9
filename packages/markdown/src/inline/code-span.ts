import { findBracketing, runLength } from "./bracketing.ts";
import { add, type Cursor } from "./cursor.ts";

/** Parses `` `code` `` with any number of backticks; spaces inside are kept. */
export function codeSpan(cursor: Cursor, at: number, end: number): number {
  cursor.bracketing ??= findBracketing(cursor.source);
  const length = runLength(cursor.source, at, 0x60);
  const close = cursor.bracketing.backticks.get(at);
  if (close === undefined || close + length > end) return at + length;
  const text = cursor.source.slice(at + length, close);
  add(cursor, { kind: "code", text }, at, close + length);
  return close + length;
}
