import { notNull, type RowOf, type Sql, statement } from "@carillon/db";

/*
 * Within an organization, message ids are almost in the order of sending: `sent_at` is the time at which the transaction
 * began, and the id is assigned a moment later, so that no message is more than `messageIdSlackMs` older than one with a
 * lower id. Two organizations have no common order: an import stores old messages with new ids. A partial index has one
 * message in 64, by organization. A binary search reads about 25 of them to find the ids that belong to a date, even
 * among millions of messages. The rest of the query uses ids only (docs/decisions/024, 087).
 */

/** Longer than any transaction may take. */
export const messageIdSlackMs = 5 * 60_000;

/** SQL: the condition of the index `messages_sampled_idx`. */
const isSampled = "m.id % 64 = 0";

const place = statement({
  name: "message-ids-at-time",
  text: `WITH RECURSIVE half (realm_id, low, high) AS (
      SELECT r.id, 0::bigint, coalesce(last.id, 0) + 1 FROM unnest($1::int[]) AS r (id)
      LEFT JOIN LATERAL (SELECT m.id FROM messages m WHERE m.realm_id = r.id AND ${isSampled} ORDER BY m.id DESC LIMIT 1) last ON true
    UNION ALL
      SELECT half.realm_id, CASE WHEN one.earlier THEN one.id + 1 ELSE low END, CASE WHEN one.earlier THEN high ELSE middle END
      FROM half CROSS JOIN LATERAL (SELECT (low + high) / 2) AS at (middle) LEFT JOIN LATERAL (
        SELECT m.id, m.sent_at < 'epoch'::timestamptz + $2::bigint * interval '1 us' AS earlier FROM messages m
        WHERE m.realm_id = half.realm_id AND ${isSampled} AND m.id >= middle AND m.id < high ORDER BY m.id LIMIT 1) one ON true
      WHERE low < high
    )
    SELECT realm_id AS "realmId", low AS "from", (
      SELECT m.id FROM messages m WHERE m.realm_id = half.realm_id AND ${isSampled} AND m.id >= low ORDER BY m.id LIMIT 1) AS "until"
    FROM half WHERE low >= high`,
  overrides: { realmId: notNull, from: notNull },
});

/**
 * Ids between which the first message since a time is, within the slack.
 * - `from`: messages with lower ids are older.
 * - `until`: this message and those with higher ids are not older; null if the last sampled message is older.
 */
export type MessageIdsAt = RowOf<typeof place>;

/**
 * Finds the ids that belong to a time, for each of the organizations. At most some hundred messages of an organization
 * are between them, within the slack of the time.
 * @param time microseconds since the UNIX epoch
 */
export function messageIdsAt(
  sql: Sql,
  realmIds: readonly number[],
  time: number,
): Promise<MessageIdsAt[]> {
  return sql.rows(place, [realmIds, time]);
}
