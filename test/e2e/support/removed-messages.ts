import type { Database } from "@carillon/db";

/** Every message of the organization that is in the archive, whoever is told of its end. */
export async function removedMessages(db: Database, realmId: number): Promise<ReadonlySet<number>> {
  const rows = await db.rows<{ id: number }>(
    "SELECT id FROM archived_messages WHERE realm_id = $1",
    [realmId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Every message of the organization that has ever been in another channel, those in the archive too. */
export async function movedMessages(db: Database, realmId: number): Promise<ReadonlySet<number>> {
  const rows = await db.rows<{ id: number }>(
    `SELECT id FROM (SELECT id, edit_history FROM messages WHERE realm_id = $1
       UNION ALL SELECT id, edit_history FROM archived_messages WHERE realm_id = $1) m
     WHERE m.edit_history @? '$[*].prev_stream'`,
    [realmId],
  );
  return new Set(rows.map(({ id }) => id));
}
