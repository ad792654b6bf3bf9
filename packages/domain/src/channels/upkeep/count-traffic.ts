import { column, statement, type Tx } from "@carillon/db";

/** Days that the weekly average is made of, today not among them. */
export const trafficDays = 28;

/**
 * Goes on where `traffic_place` says, up to the last message that is five minutes old: a transaction that sends one
 * with a lower id has committed by then, since no transaction lasts longer than a minute.
 */
const count = statement({
  name: "count-traffic",
  text: `WITH part AS MATERIALIZED (
      SELECT id, recipient_id, is_channel, sent_at FROM messages
      WHERE id > (SELECT message_id FROM traffic_place) ORDER BY id LIMIT $1
    ), settled AS MATERIALIZED (
      SELECT max(id) AS id FROM part WHERE sent_at < now() - interval '5 minutes'
    ), counted AS (
      INSERT INTO channel_traffic AS t (channel_id, day, messages)
      SELECT r.channel_id, (part.sent_at AT TIME ZONE 'UTC')::date AS day, count(*)
      FROM part JOIN settled ON part.id <= settled.id JOIN recipients r ON r.id = part.recipient_id
      WHERE part.is_channel AND part.sent_at > now() - interval '${trafficDays + 2} days'
      GROUP BY r.channel_id, day ORDER BY r.channel_id, day
      ON CONFLICT (channel_id, day) DO UPDATE SET messages = t.messages + excluded.messages
    ), place AS (
      UPDATE traffic_place SET message_id = settled.id FROM settled WHERE settled.id IS NOT NULL
    )
    SELECT count(*)::int AS count FROM part JOIN settled ON part.id <= settled.id`,
  row: { count: column.int },
});

/**
 * Counts the next messages for the days on which they were sent, each once, whatever becomes of it later.
 * @returns how many there were
 */
export async function countMessages(tx: Tx, size: number): Promise<number> {
  return (await tx.first(count, [size]))?.count ?? 0;
}
