import {
  type Account,
  administerOrganization,
  loadProfileFields,
  type ProfileField,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

/**
 * A custom profile field in the hands of an administrator, and the others of the organization: nobody else changes them,
 * or anybody's values, until the transaction ends.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` where there is none with the id
 */
export async function openProfileField(
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
