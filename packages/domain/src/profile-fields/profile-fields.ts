import { isDeepStrictEqual } from "node:util";

import { errors, maxProfileFields, profileFieldsChanged } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  administerOrganization,
  type AuditEntry,
  listProfileFields,
  loadProfileFields,
  type ProfileField,
  recordAudit,
} from "@carillon/model";

import { reordering } from "../reordering.ts";
import {
  changedField,
  checkField,
  externalAccountOf,
  type FieldChanges,
  parseFieldData,
  profileFieldTypes,
} from "./check-field.ts";

/** What a new field is unless something else is given. */
const blank = {
  name: "",
  hint: "",
  fieldData: {},
  displayInProfileSummary: false,
  required: false,
  editableByUser: true,
  useForUserMatching: false,
};

/**
 * Creates a custom profile field, the last one in their order (settings-and-profile-fields.md §2.3).
 * @returns its id
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function createProfileField(
  tx: Tx,
  actor: Account,
  fieldType: number,
  given: FieldChanges,
): Promise<number> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const fields = await loadProfileFields(tx, realmId);
  const field = checkField(changedField({ ...blank, fieldType }, given), fields);
  if (fields.length >= maxProfileFields)
    throw errors.badRequest(
      `An organization cannot have more than ${maxProfileFields} profile fields`,
    );
  const order = (fields.at(-1)?.order ?? -1) + 1;
  const prisma = await tx.prisma();
  const { id } = await prisma.customProfileField.create({
    data: { ...field, realmId, order },
    select: { id: true },
  });
  await tellProfileFields(tx, actor, {
    type: "profile_field_created",
    data: { profile_field_id: id, name: field.name },
  });
  return id;
}

/**
 * Changes a custom profile field (settings-and-profile-fields.md §2.3), and tells everybody unless all is so already.
 * An account that had a choice that the dropdown has no more has no value any more.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`; nothing has changed then
 */
export async function updateProfileField(
  tx: Tx,
  actor: Account,
  fieldId: number,
  changes: FieldChanges,
): Promise<void> {
  const { field, others } = await openProfileField(tx, actor, fieldId);
  const { id, order: _order, ...before } = field;
  checkKeepsAccount(field, changes);
  const after = checkField(
    changedField({ ...before, fieldData: parseFieldData(field.fieldData) }, changes),
    others,
    before.name,
  );
  if (isDeepStrictEqual(before, after)) return;
  const gone = removedChoices(field, after);
  const prisma = await tx.prisma();
  await prisma.customProfileField.update({ where: { id }, data: after, select: { id: true } });
  if (gone.length > 0)
    await prisma.customProfileFieldValue.deleteMany({
      where: { fieldId: id, value: { in: gone } },
    });
  await tellProfileFields(tx, actor, {
    type: "profile_field_changed",
    data: { profile_field_id: id, old: before, new: after },
  });
}

/** @throws ApiError `BAD_REQUEST` for another name, hint or site of an external account of the table */
function checkKeepsAccount(field: ProfileField, { name, hint, fieldData }: FieldChanges): void {
  const stored = parseFieldData(field.fieldData);
  const account = externalAccountOf(field.fieldType, stored);
  if (!account) return;
  const keeps =
    (name === undefined || name.trim() === account.name) &&
    (hint === undefined || hint === account.hint) &&
    (fieldData === undefined || isDeepStrictEqual(fieldData, stored));
  if (!keeps)
    throw errors.badRequest(
      `Name, hint and field_data of the field for ${account.text} cannot be changed`,
    );
}

function removedChoices(before: ProfileField, after: Pick<ProfileField, "fieldData">): string[] {
  if (before.fieldType !== profileFieldTypes.SELECT.id) return [];
  const left = new Set(Object.keys(parseFieldData(after.fieldData)));
  return Object.keys(parseFieldData(before.fieldData)).filter((key) => !left.has(key));
}

/**
 * Deletes a custom profile field, and everybody's value with it (settings-and-profile-fields.md §2.3).
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function deleteProfileField(tx: Tx, actor: Account, fieldId: number): Promise<void> {
  const {
    field: { id, name },
  } = await openProfileField(tx, actor, fieldId);
  const prisma = await tx.prisma();
  await prisma.customProfileField.delete({ where: { id }, select: { id: true } });
  await tellProfileFields(tx, actor, {
    type: "profile_field_deleted",
    data: { profile_field_id: id, name },
  });
}

const reorder = reordering("custom_profile_fields");

/**
 * Gives the organization's custom profile fields the order of the list (settings-and-profile-fields.md §2.3), and tells
 * everybody unless they have it.
 * @param order ids of all fields; others are passed over
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless each field is there, and none twice
 */
export async function reorderProfileFields(
  tx: Tx,
  actor: Account,
  order: readonly number[],
): Promise<void> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const fields = await loadProfileFields(tx, realmId);
  const known = new Set(fields.map(({ id }) => id));
  const places = order.filter((id) => known.has(id));
  if (places.length > new Set(places).size)
    throw errors.badRequest("order must name each field once");
  if (places.length < fields.length)
    throw errors.badRequest("order must name all profile fields of the organization");
  if ((await tx.count(reorder, [realmId, places])) === 0) return;
  await tellProfileFields(tx, actor, {
    type: "profile_fields_reordered",
    data: { old: fields.map(({ id }) => id), new: places },
  });
}

/**
 * A custom profile field in the hands of an administrator, and the others of the organization: nobody else changes them,
 * or anybody's values, until the transaction ends.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` where there is none with the id
 */
async function openProfileField(
  tx: Tx,
  actor: Account,
  fieldId: number,
): Promise<{ field: ProfileField; others: ProfileField[] }> {
  await administerOrganization(tx, actor);
  const fields = await loadProfileFields(tx, actor.realmId);
  const field = fields.find(({ id }) => id === fieldId);
  if (!field) throw errors.badRequest("There is no such profile field");
  return { field, others: fields.filter(({ id }) => id !== fieldId) };
}

/** Tells everybody of the fields as they are by now, and writes down what the actor has done to them. */
async function tellProfileFields(tx: Tx, actor: Account, done: AuditEntry): Promise<void> {
  const { realmId } = actor;
  const fields = await listProfileFields(tx, realmId);
  recordAudit(tx, realmId, actor.id, [done]);
  emit(tx, realmId, [profileFieldsChanged({ fields })]);
}
