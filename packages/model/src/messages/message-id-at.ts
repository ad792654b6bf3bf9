import { notNull, type Sql, statement } from "@carillon/db";

/*
 * Message ids are almost in the order of sending: `sent_at` is the time at which the transaction began, and the id is
 * assigned a moment later, so that no message is more than `messageIdSlackMs` older than one with a lower id. A binary
 * search reads about 25 messages to find the id that belongs to a date, even among millions. The rest of the query uses
 * ids only (docs/decisions/024).
 */

/** Longer than any transaction may take. */
export const messageIdSlackMs = 5 * 60_000;

const place = statement({
  name: "message-id-at-time",
  text: `WITH RECURSIVE half (low, high) AS (
      SELECT 0::bigint, coalesce(max(id), 0) + 1 FROM messages
    UNION ALL
      SELECT CASE WHEN m.earlier THEN m.id + 1 ELSE low END, CASE WHEN m.earlier THEN high ELSE middle END
      FROM half CROSS JOIN LATERAL (SELECT (low + high) / 2) AS at (middle) LEFT JOIN LATERAL (
        SELECT id, sent_at < 'epoch'::timestamptz + $1::bigint * interval '1 us' AS earlier
        FROM messages WHERE id >= middle AND id < high ORDER BY id LIMIT 1) m ON true
      WHERE low < high
    ) SELECT low AS id FROM half WHERE low >= high`,
  overrides: { id: notNull },
});

/**
 * Returns an id below which all messages are older, except for some sent within the slack.
 * @param time microseconds since the UNIX epoch
 */
export async function messageIdAt(sql: Sql, time: number): Promise<number> {
  const [row] = await sql.rows(place, [time]);
  return row?.id ?? 0;
}
