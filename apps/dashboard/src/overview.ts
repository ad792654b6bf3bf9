import { statement, type RowOf, type Sql } from "@carillon/db";
import { pending, scheduledKind } from "@carillon/scheduling";

const late = statement({
  name: "dashboard-late",
  // `deliverAt`: UNIX seconds
  // `late`: Seconds
  text: `SELECT s.id, s.kind = ${scheduledKind.reminder} AS "isReminder", r.id AS "realmId",
      r.name AS "realmName", extract(epoch FROM s.deliver_at)::float8 AS "deliverAt",
      extract(epoch FROM now() - s.deliver_at)::float8 AS late, s.alarmed_at IS NOT NULL AS enqueued
    FROM realms r CROSS JOIN LATERAL (
      SELECT s.id, s.kind, s.deliver_at, s.alarmed_at FROM scheduled_messages s
      WHERE s.realm_id = r.id AND ${pending("s")} AND s.deliver_at < now() - interval '1 second'
      ORDER BY s.deliver_at LIMIT 20) s
    WHERE NOT r.deactivated
    ORDER BY s.deliver_at LIMIT 20`,
});

/** A scheduled message or reminder that should have been sent. */
export type LateMessage = RowOf<typeof late>;

/** Lists overdue messages of active organizations, most overdue first, at most twenty. */
export function lateMessages(sql: Sql): Promise<LateMessage[]> {
  return sql.rows(late);
}
