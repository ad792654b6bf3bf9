import { statement, type RowOf, type Sql } from "@carillon/db";

const lateness = statement({
  name: "dashboard-lateness",
  text: `SELECT count(*) AS deliveries,
      coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY late), 0) AS median,
      coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY late), 0) AS p95,
      coalesce(max(late), 0) AS max
    FROM (
      SELECT greatest(0, extract(epoch FROM m.sent_at - s.deliver_at))::float8 AS late
      FROM (SELECT delivered_message_id, deliver_at FROM scheduled_messages
          WHERE delivered_message_id IS NOT NULL ORDER BY delivered_message_id DESC LIMIT 1000) s
        JOIN messages m ON m.id = s.delivered_message_id
      WHERE m.sent_at > now() - interval '1 hour') sent`,
});

/** Delivery latency of the last hour's scheduled messages, the latest thousand, in seconds. */
export type Lateness = RowOf<typeof lateness>;

export async function readLateness(sql: Sql): Promise<Lateness> {
  const rows = await sql.rows(lateness);
  return rows[0]!;
}
