import type { Database } from "@carillon/db";

/** Every message of the organization that is in the archive, whoever is told of its end. */
export async function removedMessages(db: Database, realmId: number): Promise<ReadonlySet<number>> {
  const rows = await db.rows<{ id: number }>(
    "SELECT id FROM archived_messages WHERE realm_id = $1",
    [realmId],
  );
  return new Set(rows.map(({ id }) => id));
}
