import type { Tx } from "@carillon/db";
import { emit, type NewEvent } from "@carillon/events";

import type { Account } from "../users/account.ts";

/** One line of the audit log about a group. */
export interface GroupAudit {
  readonly type: `user_group_${string}`;
  /** Whose membership it is about. */
  readonly userId?: number;
  readonly data?: object;
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
export async function tell(
  tx: Tx,
  actor: Account,
  groupId: number,
  parts: readonly Told[],
): Promise<void> {
  const audit = parts.flatMap((part) => part.audit);
  if (audit.length > 0)
    await tx.rows(write, [actor.realmId, actor.id, groupId, JSON.stringify(audit)]);
  emit(
    tx,
    actor.realmId,
    parts.flatMap((part) => part.events),
  );
}

const write = {
  name: "audit-user-group",
  text: `INSERT INTO audit_log (realm_id, acting_user_id, modified_user_id, event_type, extra_data)
    SELECT $1::int, $2::int, (e.entry->>'userId')::int, e.entry->>'type',
      jsonb_build_object('group_id', $3::int) || coalesce(e.entry->'data', '{}')
    FROM jsonb_array_elements($4::jsonb) WITH ORDINALITY AS e (entry, ord) ORDER BY e.ord`,
};
