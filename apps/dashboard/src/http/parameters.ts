import { parseIso8601 } from "@carillon/kit";

/** Maximum of PostgreSQL's `integer`. */
export const maxInt = 2_147_483_647;

/** A malformed parameter; the message says what would be right. */
export class BadParameter extends Error {}

/** Parses a whole number. @throws BadParameter unless it is one up to `max` */
export function whole(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value > max)
    throw new BadParameter(`${name} must be a whole number`);
  return value;
}

/** Returns a trimmed field; undefined if empty. */
export function given(fields: URLSearchParams, name: string): string | undefined {
  return fields.get(name)?.trim() || undefined;
}

/** Returns a text field. @throws BadParameter when it is longer than `maxLength` characters */
export function givenText(
  fields: URLSearchParams,
  name: string,
  maxLength: number,
): string | undefined {
  const text = given(fields, name);
  if (text !== undefined && (text.length > maxLength || text.includes("\0")))
    throw new BadParameter(`${name} must have at most ${maxLength} characters`);
  return text;
}

/** Returns a field that is a whole number. @throws BadParameter for another text */
export function givenWhole(fields: URLSearchParams, name: string): number | undefined {
  const text = given(fields, name);
  return text === undefined ? undefined : whole(name, text);
}

/** Returns an id field. @throws BadParameter unless it is a PostgreSQL `integer` */
export function givenId(fields: URLSearchParams, name: string): number | undefined {
  const text = given(fields, name);
  return text === undefined ? undefined : whole(name, text, maxInt);
}

/** The year 2255: microseconds are exact until then. */
const latest = 9_000_000_000_000_000n;

/**
 * Parses a time as the pages show it (`2026-11-22 14:00:05 UTC`), or in ISO 8601, UTC by default.
 * @returns UNIX seconds
 * @throws BadParameter
 */
export function givenTime(fields: URLSearchParams, name: string): number | undefined {
  const text = given(fields, name);
  if (text === undefined) return undefined;
  const time = parseIso8601(text.replace(/ ?UTC$/i, "Z").replace(/^(\d{4}-\d\d-\d\d)Z$/, "$1"));
  if (time === undefined || time < 0n || time > latest)
    throw new BadParameter(`${name} must be a time like 2026-11-22 14:00, which is UTC`);
  return Number(time) / 1_000_000;
}

/** Cursor of a list: time of its last row in microseconds of the UNIX epoch, and the row's id. */
export type Cursor = readonly [at: number, id: number];

/** Reads the cursor `after`. @throws BadParameter */
export function readCursor(fields: URLSearchParams): Cursor | undefined {
  const after = fields.get("after");
  if (after === null) return undefined;
  const [at = "", id = ""] = after.split("-");
  return [whole("after", at), whole("after", id)];
}
