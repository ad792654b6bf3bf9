import { flag, lockChannelRows, recordAudit } from "@carillon/model";
import { statement, notNull, type Database, type RowOf, type Sql, type Tx } from "@carillon/db";

import { indexMessages } from "../search/search-vector.ts";
import { archivedColumns } from "./archive-messages.ts";

/**
 * A run of removals that can be restored.
 * - `channelId`: the channel of all its messages; null if there were several or none.
 * - `messages`: number of its messages in the archive.
 */
export type ArchivedRun = RowOf<typeof runs>;

const runs = statement({
  name: "archived-runs",
  text: `SELECT r.id, r.realm_id AS "realmId", r.channel_id AS "channelId", c.name AS channel, r.cause,
      r.actor_id AS "actorId", r.ended_at AS "endedAt",
      (SELECT count(*)::int FROM archived_messages a WHERE a.removal_id = r.id) AS messages
    FROM message_removals r LEFT JOIN channels c ON c.id = r.channel_id ORDER BY r.id`,
});

/** Lists all runs of all organizations, oldest first. */
export function listArchivedRuns(sql: Sql): Promise<ArchivedRun[]> {
  return sql.rows(runs);
}

/** What to restore: the messages of one run, of a channel, or removed with the deactivation of an account. */
export type RestoreSelection =
  | { readonly run: number }
  | { readonly channel: number }
  | { readonly account: number };

/** Messages restored in one transaction. */
const atOnce = 500;

/**
 * Restores removed messages with all copies and flags, in batches of one transaction each. A later call continues after
 * a failure and skips messages already restored. Sends no events. The flag of pushed messages stays cleared, because
 * the removal also removed their notifications.
 * @returns how many messages were restored
 */
export async function restoreMessages(db: Database, what: RestoreSelection): Promise<number> {
  const chosen = await db.rows(chosenRuns, [
    "run" in what ? what.run : null,
    "channel" in what ? what.channel : null,
    "account" in what ? what.account : null,
  ]);
  let restored = 0;
  for (const run of chosen)
    for (let count = atOnce; count === atOnce; restored += count)
      count = await db.transaction((tx) => restoreBatch(tx, run));
  return restored;
}

const chosenRuns = statement({
  name: "runs-to-restore",
  text: `SELECT id, realm_id AS "realmId", channel_id AS "channelId" FROM message_removals
    WHERE id = $1 OR channel_id = $2 OR id = ANY(ARRAY(
      SELECT s.removal_id FROM message_deletion_jobs j JOIN message_deletion_steps s ON s.job_id = j.id
      WHERE j.user_id = $3)) ORDER BY id`,
});

/** Never overwrites an existing message. */
const bringBack = statement({
  name: "messages-from-archive",
  text: `WITH m AS MATERIALIZED (
      DELETE FROM archived_messages WHERE removal_id = $1 AND id = ANY(ARRAY(
        SELECT id FROM archived_messages WHERE removal_id = $1 ORDER BY id LIMIT $2))
      RETURNING ${archivedColumns}, holder_ids, holder_flags, reactions, submessages
    ), message AS (
      INSERT INTO messages (${archivedColumns}) SELECT ${archivedColumns} FROM m ON CONFLICT DO NOTHING
    ), copy AS (
      INSERT INTO user_messages (user_id, message_id, flags)
      SELECT h.user_id, m.id, h.flags & ~${flag.activeMobilePush}
      FROM m CROSS JOIN LATERAL unnest(m.holder_ids, m.holder_flags) AS h (user_id, flags)
      ON CONFLICT DO NOTHING
    ), reaction AS (
      INSERT INTO reactions SELECT r.* FROM m CROSS JOIN LATERAL jsonb_populate_recordset(NULL::reactions, m.reactions) r
      ON CONFLICT DO NOTHING
    ), submessage AS (
      INSERT INTO submessages
      SELECT s.* FROM m CROSS JOIN LATERAL jsonb_populate_recordset(NULL::submessages, m.submessages) s
      ON CONFLICT DO NOTHING
    ), first AS MATERIALIZED (
      SELECT r.channel_id, min(m.id) AS id FROM m JOIN recipients r ON r.id = m.recipient_id
      WHERE r.channel_id IS NOT NULL GROUP BY r.channel_id
    ), held AS MATERIALIZED (
      SELECT id FROM channels WHERE id IN (SELECT channel_id FROM first) ORDER BY id FOR NO KEY UPDATE
    ), stored AS (
      UPDATE channels c SET first_message_id = least(c.first_message_id, f.id)
      FROM held JOIN first f ON f.channel_id = held.id WHERE c.id = held.id
    )
    SELECT count(*)::int AS count FROM m`,
});

const forget = statement({
  name: "message-removal-forget",
  text: "DELETE FROM message_removals WHERE id = $1",
});

const channelsNext = statement({
  name: "channels-of-archive",
  text: `SELECT DISTINCT r.channel_id AS id
    FROM (SELECT recipient_id FROM archived_messages WHERE removal_id = $1 ORDER BY id LIMIT $2) m
    JOIN recipients r ON r.id = m.recipient_id WHERE r.channel_id IS NOT NULL ORDER BY 1`,
  overrides: { id: notNull },
});

/**
 * Restores one batch. The channel row locks serialize it with removals from the same channels and with other restores.
 */
async function restoreBatch(tx: Tx, run: RowOf<typeof chosenRuns>): Promise<number> {
  const { id, realmId, channelId } = run;
  const next = await tx.rows(channelsNext, [id, atOnce]);
  const keys = next.map((channel) => channel.id);
  await lockChannelRows(tx, keys);
  const [restored] = await tx.lock({ name: "channels", keys }, bringBack, [id, atOnce]);
  const count = restored?.count ?? 0;
  await indexMessages(tx, count);
  if (count < atOnce) await tx.rows(forget, [id]);
  if (count > 0)
    recordAudit(tx, realmId, null, [
      {
        type: "messages_restored",
        data: { removal_id: id, stream_id: channelId, messages: count },
      },
    ]);
  return count;
}
