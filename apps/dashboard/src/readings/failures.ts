import { statement, notNull, type RowOf, type Sql } from "@carillon/db";
import { failedByServer } from "@carillon/scheduling";

/** Limit of counted failures. */
export const maxCounted = 10_000;

const recent = statement({
  name: "dashboard-recent-failures",
  // `latestAt`: Microseconds of the UNIX epoch.
  text: `SELECT reason, by_server AS "byServer", count(*)::int AS count,
      (extract(epoch FROM max(failed_at)) * 1000000)::bigint AS "latestAt"
    FROM (SELECT f.reason, f.failed_at, ${failedByServer("f")} AS by_server FROM delivery_failures f
      WHERE failed_at > now() - interval '1 hour' AND acknowledged_at IS NULL
      ORDER BY failed_at DESC, id DESC LIMIT ${maxCounted}) recent
    GROUP BY reason, by_server ORDER BY count(*) DESC, reason`,
  overrides: { byServer: notNull },
});

/** Unacknowledged failures of the last hour with one reason. */
export type RecentFailures = RowOf<typeof recent>;

/** Counts unacknowledged failures by reason, most frequent first. */
export function readFailures(sql: Sql): Promise<RecentFailures[]> {
  return sql.rows(recent);
}
