import { lockChannelRows } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

import { trafficDays } from "./count-traffic.ts";

const today = "(now() AT TIME ZONE 'UTC')::date";

/**
 * The weekly average of the last four weeks, or since the channel began; null in its first week, at least 1 where
 * anything was sent, two digits of it (channels.md §1).
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
  row: { id: column.int, traffic: column.int.orNull() },
});

const store = statement({
  name: "traffic-store",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET weekly_traffic = f.traffic
    FROM held JOIN unnest($1::int[], $2::int[]) AS f (id, traffic) USING (id) WHERE c.id = held.id`,
  row: {},
});

/**
 * Brings the weekly traffic of the next channels up to date, from what was counted day by day. No client is told: an
 * average that is new each day would be an event for each channel to everybody.
 * @param after only channels with a higher id
 * @returns the last channel that was changed; undefined where there may be no more
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
  row: {},
});

/** Deletes what was counted for days that matter no more. */
export async function forgetTraffic(tx: Tx, realmId: number): Promise<void> {
  await tx.rows(forget, [realmId]);
}
