import type { Database } from "@carillon/db";

/** All archived messages of the organization, whoever gets an event of the deletion. */
export async function removedMessages(db: Database, realmId: number): Promise<ReadonlySet<number>> {
  const rows = await db.rows<{ id: number }>(
    "SELECT id FROM archived_messages WHERE realm_id = $1",
    [realmId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** All messages of the organization that were ever moved between channels, including archived ones. */
export async function movedMessages(db: Database, realmId: number): Promise<ReadonlySet<number>> {
  const rows = await db.rows<{ id: number }>(
    `SELECT id FROM (SELECT id, edit_history FROM messages WHERE realm_id = $1
       UNION ALL SELECT id, edit_history FROM archived_messages WHERE realm_id = $1) m
     WHERE m.edit_history @? '$[*].prev_stream'`,
    [realmId],
  );
  return new Set(rows.map(({ id }) => id));
}
