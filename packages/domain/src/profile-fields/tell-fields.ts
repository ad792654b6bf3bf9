import { type Account, type AuditEntry, listProfileFields, recordAudit } from "@carillon/model";
import { profileFieldsChanged } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

/** Tells everybody of the fields as they are by now, and writes down what the actor has done to them. */
export async function tellProfileFields(tx: Tx, actor: Account, done: AuditEntry): Promise<void> {
  const { realmId } = actor;
  const fields = await listProfileFields(tx, realmId);
  recordAudit(tx, realmId, actor.id, [done]);
  emit(tx, realmId, [profileFieldsChanged({ fields })]);
}
