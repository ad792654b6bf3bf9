import { bounds, errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import type { ProfileField } from "@carillon/model";

import { parseFieldData } from "./field-data.ts";
import { profileFieldTypes } from "./field-types.ts";
import { isLink } from "./link.ts";

/** What somebody wants a field to say; null removes what it says. */
export type WantedValue = string | readonly number[] | null;

const { SHORT_TEXT, LONG_TEXT, SELECT, DATE, URL, USER, EXTERNAL_ACCOUNT, PRONOUNS } =
  profileFieldTypes;

/** Unicode code points. */
const longest: Readonly<Record<number, number>> = {
  [SHORT_TEXT.id]: 50,
  [LONG_TEXT.id]: 500,
  [EXTERNAL_ACCOUNT.id]: 50,
  [PRONOUNS.id]: 50,
};

/** Whether the value takes away what the field says (users.md §3.4). */
export function isRemoval(value: WantedValue): value is null {
  return value === null || value.length === 0;
}

/**
 * The value as it is stored (settings-and-profile-fields.md §2.1); of users, who must have been looked up, JSON text.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkValue(field: ProfileField, wanted: string | readonly number[]): string {
  const refuse = (what: string) => errors.badRequest(`The value of ${field.name} must be ${what}`);
  if (field.fieldType === USER.id) {
    if (typeof wanted === "string") throw refuse("a list of user IDs");
    if (wanted.length > bounds.profileUsers) throw refuse(`at most ${bounds.profileUsers} users`);
    return JSON.stringify(wanted);
  }
  if (typeof wanted !== "string") throw refuse("a string");
  const most = longest[field.fieldType];
  if (most !== undefined && isLongerThan(wanted, most))
    throw refuse(`of at most ${most} characters`);
  if (field.fieldType === SELECT.id && !Object.hasOwn(parseFieldData(field.fieldData), wanted))
    throw refuse("one of its choices");
  if (field.fieldType === DATE.id && !isDate(wanted)) throw refuse("a date such as 2026-01-31");
  if (field.fieldType === URL.id && !isLink(wanted))
    throw refuse("an address of http, https, ftp or ftps");
  return wanted;
}

/** A day of the calendar, four digits, two and two; there is no year 0. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
