import type { Account } from "@carillon/model";
import type { Tx } from "@carillon/db";

import { openProfileField } from "./open-field.ts";
import { tellProfileFields } from "./tell-fields.ts";

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
