import { statement, type Tx } from "@carillon/db";

/** An audit log entry about an account or the organization. */
export interface AuditEntry {
  readonly type: string;
  /** The changed account, if any. */
  readonly userId?: number;
  readonly data?: object;
}

const text = `INSERT INTO audit_log (realm_id, acting_user_id, modified_user_id, event_type, extra_data)
    SELECT $1::int, $2::int, (e.entry->>'userId')::int, e.entry->>'type', coalesce(e.entry->'data', '{}')
    FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e (entry, ord) ORDER BY e.ord`;

const write = statement({ name: "audit", text });
const writeAtOnce = statement({
  name: "audit-ids",
  text: `${text} RETURNING id`,
});

/**
 * Records entries in the audit log; the statement is sent with the COMMIT.
 * @param actingUserId null for actions of the server itself
 */
export function recordAudit(
  tx: Tx,
  realmId: number,
  actingUserId: number | null,
  entries: readonly AuditEntry[],
): void {
  if (entries.length > 0)
    tx.sendWithCommit(write, [realmId, actingUserId, JSON.stringify(entries)]);
}

/** Records entries in the audit log immediately. @returns the ids of the entries, in the order given */
export async function writeAudit(
  tx: Tx,
  realmId: number,
  actingUserId: number | null,
  entries: readonly AuditEntry[],
): Promise<number[]> {
  const rows = await tx.rows(writeAtOnce, [realmId, actingUserId, JSON.stringify(entries)]);
  return rows.map(({ id }) => id);
}
