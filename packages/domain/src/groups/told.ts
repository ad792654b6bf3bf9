import { type Account, type AuditEntry, recordAudit } from "@carillon/model";
import type { Tx } from "@carillon/db";
import { emit, type NewEvent } from "@carillon/events";

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

/**
 * A `user_group` event, for everybody. What happens to a group that is deactivated is told only to clients that know
 * such groups; the log says so.
 */
export function groupEvent(
  op: string,
  payload: object,
  group: { readonly deactivated: boolean },
): NewEvent {
  const logged = group.deactivated ? { ...payload, deactivated: true } : payload;
  return { type: "user_group", op, payload: logged, audience: null };
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
