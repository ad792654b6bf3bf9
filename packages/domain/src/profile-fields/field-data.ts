import { bounds, errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";

import { externalAccounts } from "./external-accounts.ts";
import { profileFieldTypes } from "./field-types.ts";
import { isLink } from "./link.ts";

/** What configures a field, as it was sent or stored. */
export type FieldData = Readonly<Record<string, unknown>>;

/**
 * What configures a field of the type, as JSON text (settings-and-profile-fields.md §2.3); empty for a type without
 * configuration, whatever was given.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkFieldData(fieldType: number, given: FieldData): string {
  const { SELECT, EXTERNAL_ACCOUNT } = profileFieldTypes;
  if (fieldType !== SELECT.id && fieldType !== EXTERNAL_ACCOUNT.id) return "";
  const text = JSON.stringify(fieldType === SELECT.id ? checkChoices(given) : checkAccount(given));
  if (isLongerThan(text, bounds.profileFieldData))
    throw errors.badRequest(
      `field_data must not have more than ${bounds.profileFieldData} characters`,
    );
  return text;
}

/** The other way round. */
export function parseFieldData(text: string): FieldData {
  return text === "" ? {} : (JSON.parse(text) as FieldData);
}

/** The table's entry where the field is about an account of a site that the table has. */
export function externalAccountOf(fieldType: number, { subtype }: FieldData) {
  if (fieldType !== profileFieldTypes.EXTERNAL_ACCOUNT.id || typeof subtype !== "string")
    return undefined;
  return Object.hasOwn(externalAccounts, subtype) ? externalAccounts[subtype] : undefined;
}

function checkChoices(given: FieldData): FieldData {
  const texts = new Set<unknown>();
  for (const [key, choice] of Object.entries(given)) {
    if (isBlank(key)) throw errors.badRequest("field_data has a choice with a blank key");
    if (!isObject(choice) || Object.keys(choice).toSorted().join() !== "order,text")
      throw errors.badRequest(
        `The choice ${key} of field_data must have text and order, and no more`,
      );
    if (isBlank(choice["text"]) || isBlank(choice["order"]))
      throw errors.badRequest(`text and order of the choice ${key} must be strings, and not blank`);
    if (texts.has(choice["text"]))
      throw errors.badRequest("field_data must not have two choices with the same text");
    texts.add(choice["text"]);
  }
  if (texts.size === 0) throw errors.badRequest("field_data must have a choice for a dropdown");
  return given;
}

const placeholder = "%(username)s";

function checkAccount(given: FieldData): FieldData {
  const { subtype, url_pattern: pattern, ...more } = given;
  if (isBlank(subtype)) throw errors.badRequest("field_data must have a subtype, a string");
  if (Object.keys(more).length > 0)
    throw errors.badRequest("field_data must have nothing but subtype and url_pattern");
  if (pattern !== undefined && !isPattern(pattern))
    throw errors.badRequest(
      `url_pattern must be an address of http, https, ftp or ftps with ${placeholder} in it once`,
    );
  if (externalAccountOf(profileFieldTypes.EXTERNAL_ACCOUNT.id, given)) return { subtype };
  if (subtype !== "custom")
    throw errors.badRequest("subtype must be custom or a name of realm_default_external_accounts");
  return pattern === undefined ? { subtype } : { subtype, url_pattern: pattern };
}

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  const parts = pattern.split(placeholder);
  return parts.length === 2 && isLink(parts.join("username"));
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

function isObject(value: unknown): value is FieldData {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
