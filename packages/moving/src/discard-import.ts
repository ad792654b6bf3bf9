import type pg from "pg";

import { ask, inTransaction } from "./connect.ts";
import { scopeOf } from "./scope.ts";
import { movedTables } from "./tables.ts";

const batch = 5_000;

/** Deletes an unfinished import and everything that it has stored; uploaded files a day later. */
export async function discardImport(client: pg.Client, importId: number): Promise<void> {
  const [row] = await ask<{ realm: number | null }>(
    client,
    "SELECT realm_id AS realm FROM organization_imports WHERE id = $1 AND finished_at IS NULL",
    [importId],
  );
  if (!row) return;
  if (row.realm !== null) await deleteOrganization(client, row.realm);
  await ask(client, "DELETE FROM organization_imports WHERE id = $1", [importId]);
}

async function deleteOrganization(client: pg.Client, realmId: number): Promise<void> {
  for (;;) {
    const rows = await inTransaction(client, () =>
      ask<{ id: string }>(
        client,
        `WITH gone AS (DELETE FROM messages WHERE id = ANY(ARRAY(
            SELECT id FROM messages WHERE realm_id = $1 LIMIT ${batch})) RETURNING id),
          copies AS (DELETE FROM user_messages um USING users u, gone
            WHERE u.realm_id = $1 AND um.user_id = u.id AND um.message_id = gone.id),
          marks AS (DELETE FROM reactions r USING gone WHERE r.message_id = gone.id),
          parts AS (DELETE FROM submessages s USING gone WHERE s.message_id = gone.id)
         SELECT id FROM gone`,
        [realmId],
      ),
    );
    if (rows.length < batch) break;
  }
  await inTransaction(client, async () => {
    await ask(
      client,
      `UPDATE stored_objects SET delete_after = now() + interval '24 hours' WHERE key IN (
         SELECT object_key FROM attachments WHERE realm_id = $1 UNION ALL SELECT object_key FROM pictures WHERE realm_id = $1)`,
      [realmId],
    );
    await ask(client, "DELETE FROM job_intent WHERE realm_id = $1", [realmId]);
    for (const table of ["event_log", "event_head", "audit_log"])
      await ask(client, `DELETE FROM "${table}" WHERE realm_id = $1`, [realmId]);
    // Groups last: other rows refer to them, and they do not go while one does.
    for (const table of Object.keys(movedTables).reverse())
      if (!["realms", "clients", "users", "user_group", "messages"].includes(table))
        await ask(client, `DELETE FROM "${table}" WHERE ${scopeOf(table)}`, [realmId]);
    await ask(client, "UPDATE organization_imports SET realm_id = NULL WHERE realm_id = $1", [
      realmId,
    ]);
    await ask(client, "DELETE FROM realms WHERE id = $1", [realmId]);
  });
}
