import type { Database } from "@carillon/db";
import { searchVector } from "@carillon/domain";
import { clientIdOf } from "@carillon/model";
import { idOf, type TestChannel, type IdOrRow } from "./channel.ts";

export interface PastMessages {
  /** Default: 1. */
  readonly count?: number;
  /** Default: `lunch`. */
  readonly topic?: string;
  /** Age of the messages; default 0. */
  readonly daysAgo?: number;
  /** Accounts with an unread copy; default: the channel's subscribers. */
  readonly holders?: readonly IdOrRow[];
}

/**
 * Creates messages sent to a channel some time ago, without events, for tests of scaling and ageing.
 * @returns their ids, ascending
 */
export async function pastMessages(
  db: Database,
  room: TestChannel,
  sender: IdOrRow,
  { count = 1, topic = "lunch", daysAgo = 0, holders }: PastMessages = {},
): Promise<number[]> {
  const clientId = await clientIdOf(db, "Internal");
  const rows = await db.rows<{ id: number }>(
    `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
       render_version, sent_at, client_id, search)
     SELECT $1, $2, $3, true, $4::text, 'soup ' || n, '<p>soup ' || n || '</p>', 1, now() - make_interval(days => $5),
       $7, ${searchVector({ topic: "$4", content: "'soup ' || n" })}
     FROM generate_series(1, $6) AS n RETURNING id`,
    [room.realmId, idOf(sender), room.recipientId, topic, daysAgo, count, clientId],
  );
  const ids = rows.map(({ id }) => id);
  await db.rows(
    `INSERT INTO user_messages (user_id, message_id)
     SELECT s.user_id, m.id FROM unnest($1::bigint[]) AS m (id), subscriptions s
     WHERE s.channel_id = $2 AND CASE WHEN $3::int[] IS NULL THEN s.active ELSE s.user_id = ANY($3) END`,
    [ids, room.id, holders?.map(idOf) ?? null],
  );
  await db.rows(
    "UPDATE channels SET first_message_id = least(first_message_id, $2) WHERE id = $1",
    [room.id, ids[0]],
  );
  return ids;
}
