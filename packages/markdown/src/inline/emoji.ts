import { emojiHtml } from "../emoji/html.ts";
import { emojiNames } from "../emoji/names.ts";
import { isKeycap, readUnicodeEmoji } from "../emoji/unicode.ts";
import { add, type Cursor } from "./cursor.ts";

const NAMED = /:([\w+-]{1,100}):/y;

/** Parses `:name:` of a Unicode or custom emoji; unknown names stay text. */
export function namedEmoji(cursor: Cursor, at: number, end: number): number {
  NAMED.lastIndex = at;
  const match = NAMED.exec(cursor.source);
  if (match === null || NAMED.lastIndex > end) return at;
  const after = NAMED.lastIndex;
  const name = match[1] ?? "";
  if (name === "zulip" || cursor.context.hasCustomEmoji(name)) {
    add(cursor, { kind: "custom-emoji", name, source: match[0] }, at, after);
  } else if (emojiNames.has(name)) {
    add(cursor, { kind: "element", html: emojiHtml(name), source: match[0] }, at, after);
  } else {
    return at;
  }
  return after;
}

/** Parses an emoji typed as characters; one without a name (skin tones) stays text. */
export function unicodeEmoji(cursor: Cursor, at: number, end: number): number {
  const start = at > cursor.textStart && isKeycap(cursor.source, at) ? at - 1 : at;
  const { name, after } = readUnicodeEmoji(cursor.source, start, end);
  if (name !== undefined) {
    const source = cursor.source.slice(start, after);
    add(cursor, { kind: "element", html: emojiHtml(name), source }, start, after);
  }
  return after;
}
