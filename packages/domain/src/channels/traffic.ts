import { statement, type Tx } from "@carillon/db";
import { lockChannelRows } from "@carillon/model";

/** Days of the weekly average, not including today. */
const trafficDays = 28;

/**
 * Counts messages from `traffic_place` up to one that was the newest at least five minutes ago. No transaction lasts longer
 * than a minute, so no message with a lower id can still be committed. The times of messages do not tell this, because an
 * import stores old messages with new ids.
 */
const count = statement({
  name: "count-traffic",
  text: `WITH seen AS MATERIALIZED (
      SELECT message_id, seen_id FROM traffic_place WHERE coalesce(seen_at < now() - interval '5 minutes', true)
    ), part AS MATERIALIZED (
      SELECT m.id, m.recipient_id, m.is_channel, m.sent_at FROM messages m
      WHERE m.id > (SELECT message_id FROM seen) AND m.id <= (SELECT seen_id FROM seen) ORDER BY m.id LIMIT $1
    ), counted AS (
      INSERT INTO channel_traffic AS t (channel_id, day, messages)
      SELECT r.channel_id, (part.sent_at AT TIME ZONE 'UTC')::date AS day, count(*)
      FROM part JOIN recipients r ON r.id = part.recipient_id
      WHERE part.is_channel AND part.sent_at > now() - interval '${trafficDays + 2} days'
      GROUP BY r.channel_id, day ORDER BY r.channel_id, day
      ON CONFLICT (channel_id, day) DO UPDATE SET messages = t.messages + excluded.messages
    ), done AS (
      SELECT count(*) AS count, max(id) AS last FROM part
    ), more AS (
      UPDATE traffic_place SET message_id = done.last FROM done WHERE done.count = $1
    ), none_left AS (
      UPDATE traffic_place p SET message_id = greatest(p.message_id, p.seen_id),
        seen_id = greatest(p.seen_id, newest.id), seen_at = now()
      FROM seen, done, (SELECT max(id) AS id FROM messages) newest
      WHERE done.count < $1 AND (done.count > 0 OR newest.id > seen.seen_id)
    )
    SELECT count::int AS count FROM done`,
});

/**
 * Counts the next messages for the days on which they were sent, each once, even if it is deleted later.
 * @returns how many messages were counted
 */
export async function countMessages(tx: Tx, size: number): Promise<number> {
  return (await tx.first(count, [size]))?.count ?? 0;
}

const today = "(now() AT TIME ZONE 'UTC')::date";

/**
 * The weekly average of the last four weeks or of the channel's age, rounded to two digits; null in its first week, at
 * least 1 if a message was sent (channels.md §1).
 */
const changed = statement({
  name: "traffic-changes",
  text: `WITH sent AS (
      SELECT c.id, c.weekly_traffic, extract(day FROM now() - c.date_created)::int AS age,
        (SELECT coalesce(sum(t.messages), 0)::int FROM channel_traffic t
         WHERE t.channel_id = c.id AND t.day >= ${today} - ${trafficDays} AND t.day < ${today}) AS messages
      FROM channels c WHERE c.realm_id = $1 AND NOT c.is_archived AND c.id > $2
    ), average AS (
      SELECT id, weekly_traffic, CASE WHEN age >= 7
        THEN greatest(messages * 7 / least(age, ${trafficDays}), least(messages, 1)) END AS plain FROM sent
    ), rounded AS (
      SELECT id, weekly_traffic, round(plain, 2 - length(plain::text))::int AS traffic FROM average
    )
    SELECT id, traffic FROM rounded WHERE traffic IS DISTINCT FROM weekly_traffic ORDER BY id LIMIT $3`,
});

const store = statement({
  name: "traffic-store",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET weekly_traffic = f.traffic
    FROM held JOIN unnest($1::int[], $2::int[]) AS f (id, traffic) USING (id) WHERE c.id = held.id`,
});

/**
 * Updates the weekly traffic of the next channels from the daily counts. Sends no events: the average changes daily,
 * which would mean an event for each channel to all users.
 * @param after only channels with a higher id
 * @returns the last updated channel; undefined if there are no more
 */
export async function refreshTraffic(
  tx: Tx,
  realmId: number,
  after: number,
  size: number,
): Promise<number | undefined> {
  const rows = await tx.rows(changed, [realmId, after, size]);
  const ids = rows.map(({ id }) => id);
  await lockChannelRows(tx, ids);
  if (ids.length > 0)
    await tx.lock({ name: "channels", keys: ids }, store, [
      ids,
      rows.map(({ traffic }) => traffic),
    ]);
  return ids.length < size ? undefined : ids.at(-1);
}

const forget = statement({
  name: "traffic-forget",
  text: `DELETE FROM channel_traffic t USING channels c
    WHERE c.realm_id = $1 AND t.channel_id = c.id AND t.day < ${today} - ${trafficDays}`,
});

/** Deletes counts of days that no longer affect the average. */
export async function forgetTraffic(tx: Tx, realmId: number): Promise<void> {
  await tx.rows(forget, [realmId]);
}
