import { hostOf, loadRealm } from "@carillon/model";
import type { TransferReader } from "@carillon/transfer";

import { ask, inTransaction } from "./connect.ts";
import { deleteNewIds } from "./discard-import.ts";
import type { Importing } from "./import-records.ts";

/** Gives the organization its address, by which it can be reached, and ends the import. */
export async function finishImport(of: Importing): Promise<void> {
  const { client, realmId, id, subdomain } = of;
  await inTransaction(client, async () => {
    for (const text of derivations) await ask(client, text, [realmId]);
    const host = hostOf(of.site, { ...(await loadRealm(of.db, realmId)), subdomain });
    await ask(
      client,
      `UPDATE users SET delivery_email = system_bot_kind || '-bot@' || $2, email = system_bot_kind || '-bot@' || $2
       WHERE realm_id = $1 AND system_bot_kind IS NOT NULL`,
      [realmId, host],
    );
    // Both organizations would send what is scheduled, and call the same endpoints.
    await ask(
      client,
      `UPDATE realms SET subdomain = $2, deactivated = false, read_only_since = CASE WHEN $3 THEN now() END WHERE id = $1`,
      [realmId, subdomain, isOfServing(of.reader)],
    );
    await ask(client, "UPDATE organization_imports SET finished_at = now() WHERE id = $1", [id]);
  });
  await deleteNewIds(client, id);
}

/** Statements that derive columns and rows from the imported ones. */
const derivations = [
  `UPDATE channels c SET first_message_id = (
     SELECT min(m.id) FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE r.channel_id = c.id)
   WHERE c.realm_id = $1`,
  `UPDATE subscriptions s SET is_user_active = u.is_active FROM users u
   WHERE u.id = s.user_id AND u.realm_id = $1 AND s.is_user_active <> u.is_active`,
  `UPDATE channels c SET subscriber_count = (
     SELECT count(*) FROM subscriptions s WHERE s.channel_id = c.id AND s.active AND s.is_user_active)
   WHERE c.realm_id = $1`,
  `INSERT INTO realm_storage (realm_id, bytes_used)
   SELECT $1, coalesce(sum(size), 0) FROM attachments WHERE realm_id = $1
   ON CONFLICT (realm_id) DO UPDATE SET bytes_used = excluded.bytes_used`,
  `UPDATE bot_storage_parts p SET size = length(p.name) + length(p.value) FROM users u
   WHERE u.id = p.bot_id AND u.realm_id = $1 AND p.size <> length(p.name) + length(p.value)`,
  `INSERT INTO bot_storage_usage (bot_id, size)
   SELECT p.bot_id, sum(p.size) FROM bot_storage_parts p JOIN users u ON u.id = p.bot_id WHERE u.realm_id = $1 GROUP BY p.bot_id
   ON CONFLICT (bot_id) DO UPDATE SET size = excluded.size`,
  "UPDATE scheduled_messages SET alarmed_at = NULL WHERE realm_id = $1 AND NOT delivered AND NOT failed",
];

/** Whether the organization of the export goes on serving: Carillon's exports that are not final. */
export function isOfServing({ manifest: { source, final } }: TransferReader): boolean {
  return source.kind === "carillon" && !final;
}
