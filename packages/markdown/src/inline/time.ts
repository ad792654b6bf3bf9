import { parseIso8601 } from "@carillon/kit";

import { escapeText } from "../escape.ts";
import { add, type Cursor } from "./cursor.ts";

const TIME = /<time:([^<>\n]{1,100})>/y;
const UNIX_SECONDS = /^\d{1,12}(?:\.\d+)?$/;

/** Parses `<time:…>` into a time element in UTC; an invalid time stays text. */
export function time(cursor: Cursor, at: number, end: number): number {
  TIME.lastIndex = at;
  const match = TIME.exec(cursor.source);
  if (match === null || TIME.lastIndex > end) return at;
  const after = TIME.lastIndex;
  const typed = match[1] ?? "";
  const moment = parseMoment(typed.trim());
  const html =
    moment === undefined
      ? escapeText(match[0])
      : `<time datetime="${moment}">${escapeText(typed)}</time>`;
  add(cursor, { kind: "element", html, source: match[0] }, at, after);
  return after;
}

/** Returns the time as `YYYY-MM-DDTHH:MM:SSZ`; without a zone it is UTC. */
function parseMoment(text: string): string | undefined {
  const milliseconds = UNIX_SECONDS.test(text) ? Number(text) * 1000 : parseIso(text);
  const moment = new Date(milliseconds);
  const year = moment.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) return undefined;
  return `${moment.toISOString().slice(0, 19)}Z`;
}

function parseIso(text: string): number {
  const microseconds = parseIso8601(text);
  return microseconds === undefined ? Number.NaN : Number(microseconds / 1_000n);
}
