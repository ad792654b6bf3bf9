import { thumbnailKeysSql } from "@carillon/domain";
import type pg from "pg";

import { ask, inTransaction } from "./connect.ts";
import { scopeOf } from "./scope.ts";
import { movedTables } from "./tables.ts";

/** Messages that one transaction deletes. */
const batch = 5_000;

/** The step of an import whose rows are being deleted. */
export const discardStep = "discard";

/** Deletes an unfinished import and everything that it has stored; uploaded files a day later. Goes on after a break. */
export async function discardImport(client: pg.Client, importId: number): Promise<void> {
  const [row] = await ask<{ realm: number | null }>(
    client,
    "UPDATE organization_imports SET step = $2 WHERE id = $1 AND finished_at IS NULL RETURNING realm_id AS realm",
    [importId, discardStep],
  );
  if (!row) return;
  if (row.realm !== null) {
    await deleteMessages(client, importId, row.realm);
    await deleteOrganization(client, row.realm);
  }
  await ask(client, "DELETE FROM organization_imports WHERE id = $1", [importId]);
}

/** Deletes messages by ranges of ids: copies are keyed by account, so each range is looked up once for each account. */
async function deleteMessages(client: pg.Client, importId: number, realmId: number): Promise<void> {
  const [first] = await ask<{ id: string | null }>(
    client,
    "SELECT min(new_id) AS id FROM import_ids WHERE import_id = $1 AND kind = 'messages'",
    [importId],
  );
  if (!first?.id) return;
  let low = Number(first.id);
  for (;;) {
    const [range] = await ask<{ count: number; high: string | null }>(
      client,
      `SELECT count(*)::int AS count, max(id) AS high FROM (
         SELECT id FROM messages WHERE realm_id = $1 AND id >= $2 ORDER BY id LIMIT ${batch}) m`,
      [realmId, low],
    );
    if (!range?.high) return;
    const high = Number(range.high);
    await inTransaction(client, async () => {
      for (const text of [...deletedWithMessages, deletedMessages])
        await ask(client, text, [realmId, low, high]);
    });
    if (range.count < batch) return;
    low = high + 1;
  }
}

/** Deletes the copies of messages of an organization, `$1`, with ids from `$2` to `$3`. */
export const deletedCopies = `DELETE FROM user_messages um USING users u
  WHERE u.realm_id = $1 AND um.user_id = u.id AND um.message_id BETWEEN $2 AND $3`;

const deletedMessages = "DELETE FROM messages WHERE realm_id = $1 AND id BETWEEN $2 AND $3";

const deletedWithMessages = [
  deletedCopies,
  ...["reactions", "submessages"].map(
    (table) =>
      `DELETE FROM ${table} x USING messages m WHERE m.realm_id = $1 AND m.id BETWEEN $2 AND $3 AND x.message_id = m.id`,
  ),
];

async function deleteOrganization(client: pg.Client, realmId: number): Promise<void> {
  await inTransaction(client, async () => {
    await ask(
      client,
      `UPDATE stored_objects SET delete_after = now() + interval '24 hours' WHERE key IN (
         SELECT object_key FROM attachments WHERE realm_id = $1
         UNION ALL SELECT unnest(${thumbnailKeysSql("a.id")}) FROM attachments a WHERE a.realm_id = $1
         UNION ALL SELECT object_key FROM pictures WHERE realm_id = $1)`,
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
