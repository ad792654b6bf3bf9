import { errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { checkVisible, type ProfileField } from "@carillon/model";

import { checkFieldData, externalAccountOf, type FieldData } from "./field-data.ts";
import { profileFieldTypes } from "./field-types.ts";

/** A field as somebody wants it. */
export interface WantedField extends Omit<ProfileField, "id" | "order" | "fieldData"> {
  readonly fieldData: FieldData;
}

/** Of a field that there is already what is to change, of a new one what is given; undefined where nothing is. */
export type FieldChanges = {
  readonly [Name in Exclude<keyof WantedField, "fieldType">]: WantedField[Name] | undefined;
};

/** The field with the changes. */
export function changedField(field: WantedField, changes: FieldChanges): WantedField {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...field, ...(Object.fromEntries(given) as Partial<WantedField>) };
}

const maxName = 40;
const maxHint = 80;
/** Fields in the summary that clients show of a profile. */
const maxInSummary = 2;

const { USER, SHORT_TEXT, EXTERNAL_ACCOUNT } = profileFieldTypes;

/**
 * The field as it is stored (settings-and-profile-fields.md §2.3).
 * @param others of the organization, whose row must be locked
 * @param storedName what the field is called already: it may have characters that new names may not
 * @throws ApiError `BAD_REQUEST`
 */
export function checkField(
  wanted: WantedField,
  others: readonly ProfileField[],
  storedName?: string,
): Omit<ProfileField, "id" | "order"> {
  const { fieldType } = wanted;
  const fieldData = checkFieldData(fieldType, wanted.fieldData);
  const account = externalAccountOf(fieldType, wanted.fieldData);
  const { name, hint } = account ?? checkTexts(wanted);
  if (name !== storedName) checkVisible("name", name);
  if (others.some((other) => other.name === name))
    throw errors.badRequest(`There is already a profile field named ${name}`);
  if (wanted.displayInProfileSummary) checkSummary(fieldType, others);
  if (wanted.useForUserMatching && fieldType !== SHORT_TEXT.id && fieldType !== EXTERNAL_ACCOUNT.id)
    throw errors.badRequest("use_for_user_matching is for short texts and external accounts only");
  return { ...wanted, name, hint, fieldData };
}

function checkTexts({ name: text, hint }: WantedField): { name: string; hint: string } {
  const name = text.trim();
  if (name === "") throw errors.badRequest("name must not be blank");
  if (isLongerThan(name, maxName))
    throw errors.badRequest(`name must not have more than ${maxName} characters`);
  if (isLongerThan(hint, maxHint))
    throw errors.badRequest(`hint must not have more than ${maxHint} characters`);
  return { name, hint };
}

function checkSummary(fieldType: number, others: readonly ProfileField[]): void {
  if (fieldType === USER.id)
    throw errors.badRequest("A field of users cannot be displayed in the profile summary");
  if (others.filter((other) => other.displayInProfileSummary).length >= maxInSummary)
    throw errors.badRequest(
      `Only ${maxInSummary} fields can be displayed in the profile summary: take one out first`,
    );
}
