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

/** The defaults of a new field. */
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
 * Creates a custom profile field at the end of the order (settings-and-profile-fields.md §2.3).
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
  await recordAndEmitFields(tx, actor, {
    type: "profile_field_created",
    data: { profile_field_id: id, name: field.name },
  });
  return id;
}

/**
 * Changes a custom profile field (settings-and-profile-fields.md §2.3), and sends the fields to all users if anything
 * changes. Deletes values that are no longer choices of the dropdown.
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
  const removed = removedChoices(field, after);
  const prisma = await tx.prisma();
  await prisma.customProfileField.update({ where: { id }, data: after, select: { id: true } });
  if (removed.length > 0)
    await prisma.customProfileFieldValue.deleteMany({
      where: { fieldId: id, value: { in: removed } },
    });
  await recordAndEmitFields(tx, actor, {
    type: "profile_field_changed",
    data: { profile_field_id: id, old: before, new: after },
  });
}

/**
 * Checks that a field of a predefined site keeps its name, hint and site.
 * @throws ApiError `BAD_REQUEST` if not
 */
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
 * Deletes a custom profile field and all its values (settings-and-profile-fields.md §2.3).
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function deleteProfileField(tx: Tx, actor: Account, fieldId: number): Promise<void> {
  const {
    field: { id, name },
  } = await openProfileField(tx, actor, fieldId);
  const prisma = await tx.prisma();
  await prisma.customProfileField.delete({ where: { id }, select: { id: true } });
  await recordAndEmitFields(tx, actor, {
    type: "profile_field_deleted",
    data: { profile_field_id: id, name },
  });
}

const reorder = reordering("custom_profile_fields");

/**
 * Puts the organization's custom profile fields into the order of the list (settings-and-profile-fields.md §2.3), and
 * sends them to all users if the order changes.
 * @param order ids of all fields; ignores unknown ids
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless each field is named exactly once
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
  await recordAndEmitFields(tx, actor, {
    type: "profile_fields_reordered",
    data: { old: fields.map(({ id }) => id), new: places },
  });
}

/**
 * Locks the organization, and returns a custom profile field and the others. No other transaction changes fields or
 * values until this one ends.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` if there is none with the id
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

/** Sends the current fields to all users, and records the actor's change in the audit log. */
async function recordAndEmitFields(tx: Tx, actor: Account, done: AuditEntry): Promise<void> {
  const { realmId } = actor;
  const fields = await listProfileFields(tx, realmId);
  recordAudit(tx, realmId, actor.id, [done]);
  emit(tx, realmId, [profileFieldsChanged({ fields })]);
}
