import { column, statement, type RowOf, type Sql } from "@carillon/db";

/** Failures that are looked at: more are not counted. */
export const mostCounted = 10_000;

const recent = statement({
  name: "dashboard-recent-failures",
  text: `SELECT reason, count(*)::int AS count
    FROM (SELECT reason FROM delivery_failures WHERE failed_at > now() - interval '1 hour'
      ORDER BY failed_at DESC, id DESC LIMIT ${mostCounted}) recent
    GROUP BY reason ORDER BY count(*) DESC, reason`,
  row: { reason: column.text, count: column.int },
});

/** How many scheduled messages and reminders of the last hour failed for one reason. */
export type RecentFailures = RowOf<typeof recent.columns>;

/** By reason, the most frequent first. */
export function readFailures(sql: Sql): Promise<RecentFailures[]> {
  return sql.rows(recent);
}
