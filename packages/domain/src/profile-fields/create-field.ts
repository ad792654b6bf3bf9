import { type Account, administerOrganization, loadProfileFields } from "@carillon/model";
import { bounds, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { changedField, checkField, type FieldChanges } from "./check-field.ts";
import { tellProfileFields } from "./tell-fields.ts";

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
  if (fields.length >= bounds.profileFields)
    throw errors.badRequest(
      `An organization cannot have more than ${bounds.profileFields} profile fields`,
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
