import MarkdownIt from "markdown-it";
import { add, type Cursor } from "./cursor.ts";

const ENTITY = /&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});/iy;
const { unescapeAll } = new MarkdownIt().utils;

/** Parses an HTML entity; a known one is written unescaped into the HTML (rendering.md §6). */
export function entity(cursor: Cursor, at: number, end: number): number {
  ENTITY.lastIndex = at;
  const match = ENTITY.exec(cursor.source);
  if (match === null || ENTITY.lastIndex > end || unescapeAll(match[0]) === match[0]) return at;
  const after = ENTITY.lastIndex;
  add(cursor, { kind: "html", html: match[0] }, at, after);
  return after;
}
