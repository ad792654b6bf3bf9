import { type Account, type AuditEntry, recordAudit } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

/** One line of the audit log about a group. */
export interface GroupAudit extends AuditEntry {
  readonly type: `user_group_${string}`;
}

/** What a change leaves for others to know. */
export interface Told {
  /** In the order of the changes. */
  readonly events: readonly NewEvent[];
  readonly audit: readonly GroupAudit[];
}

/** Writes down and emits what parts of one change have to tell. */
export function tell(tx: Tx, actor: Account, groupId: number, parts: readonly Told[]): void {
  const audit = parts.flatMap((part) => part.audit);
  recordAudit(
    tx,
    actor.realmId,
    actor.id,
    audit.map((entry) => ({ ...entry, data: { group_id: groupId, ...entry.data } })),
  );
  emit(
    tx,
    actor.realmId,
    parts.flatMap((part) => part.events),
  );
}
