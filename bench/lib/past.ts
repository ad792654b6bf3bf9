import type { Database } from "@carillon/db";
import { searchVector } from "@carillon/domain";
import { chatLine } from "./chat-lines.ts";
import type { World } from "./world.ts";

/** Number of different chat lines. */
const lines = 500;

/**
 * Inserts messages that were sent the given number of days ago, to all channels in rotation, in eight topics; all
 * members have read them.
 * @param senders account ids, in rotation; by default the first member of each channel
 */
export async function fillPast(
  db: Database,
  { realmId, channels }: World,
  count: number,
  daysAgo: number,
  senders = channels.map(({ members }) => members[0]!.id),
): Promise<void> {
  await db.rows("INSERT INTO clients (name) VALUES ('bench') ON CONFLICT DO NOTHING");
  const texts = Array.from({ length: lines }, (_, n) => chatLine(n, "Somebody"));
  await db.rows(
    `WITH line AS (
       SELECT n, '<p>' || text || '</p>' AS html, text, ${searchVector({ topic: "'topic'", content: "text" })} AS search
       FROM unnest($3::text[]) WITH ORDINALITY AS l (text, n)
     ), added AS (
       INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, sent_at, client_id, search)
       SELECT $1, ($5::int[])[1 + i % cardinality($5::int[])], ($4::int[])[1 + i % cardinality($4::int[])], true,
         'topic ' || (i / 40) % 8, line.text, line.html, 1, now() - make_interval(days => $6),
         (SELECT min(id) FROM clients), line.search
       FROM generate_series(0, $2::int - 1) AS i JOIN line ON line.n = 1 + i % ${lines} ORDER BY i
       RETURNING id, recipient_id
     )
     INSERT INTO user_messages SELECT s.user_id, added.id, 1
     FROM added JOIN recipients r ON r.id = added.recipient_id JOIN subscriptions s ON s.channel_id = r.channel_id
     ORDER BY added.id, s.user_id`,
    [realmId, count, texts, channels.map(({ recipientId }) => recipientId), senders, daysAgo],
  );
  await db.rows(
    `UPDATE channels c SET first_message_id = (
       SELECT m.id FROM messages m JOIN recipients r ON r.id = m.recipient_id
       WHERE r.channel_id = c.id ORDER BY m.id LIMIT 1)`,
  );
}
