import { isDeepStrictEqual } from "node:util";

import type { Account, ProfileField } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { changedField, checkField, type FieldChanges } from "./check-field.ts";
import { externalAccountOf, parseFieldData } from "./field-data.ts";
import { profileFieldTypes } from "./field-types.ts";
import { openProfileField } from "./open-field.ts";
import { tellProfileFields } from "./tell-fields.ts";

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
