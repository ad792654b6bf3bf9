import { escapeText } from "../escape.ts";
import { add, type Cursor } from "./cursor.ts";

const TIME = /<time:([^<>\n]{1,100})>/y;
const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:\s?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;
const UNIX_SECONDS = /^\d{1,12}(?:\.\d+)?$/;

/** `<time:…>`: the moment in UTC, shown as typed; the literal text when it is no moment. */
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
  add(cursor, { kind: "html", html }, at, after);
  return after;
}

/** The moment as `YYYY-MM-DDTHH:MM:SSZ`; without a zone it is UTC. */
function parseMoment(text: string): string | undefined {
  const milliseconds = UNIX_SECONDS.test(text) ? Number(text) * 1000 : parseIso(text);
  const moment = new Date(milliseconds);
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() > 9999) return undefined;
  return `${moment.toISOString().slice(0, 19)}Z`;
}

function parseIso(text: string): number {
  const match = ISO_8601.exec(text);
  if (match === null) return Number.NaN;
  const [, day = "", clock = "00:00", seconds = "00", zone = "Z"] = match;
  // Date.parse takes 31 February for 2 March.
  if (new Date(`${day}T00:00:00Z`).getUTCDate() !== Number(day.slice(8))) return Number.NaN;
  return Date.parse(`${day}T${clock}:${seconds}${normalZone(zone)}`);
}

function normalZone(zone: string): string {
  if (/^z$/i.test(zone)) return "Z";
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
