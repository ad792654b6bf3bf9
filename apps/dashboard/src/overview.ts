import { statement, notNull, type RowOf, type Sql } from "@carillon/db";
import { pending, scheduledKind } from "@carillon/scheduling";

const late = statement({
  name: "dashboard-late",
  // `deliverAt`: UNIX seconds
  // `late`: Seconds
  text: `SELECT id, kind = ${scheduledKind.reminder} AS "isReminder", realm_id AS "realmId",
      (SELECT name FROM realms r WHERE r.id = s.realm_id) AS "realmName", extract(epoch FROM deliver_at)::float8 AS "deliverAt",
      extract(epoch FROM now() - deliver_at)::float8 AS late, alarmed_at IS NOT NULL AS enqueued
    FROM scheduled_messages s
    WHERE ${pending("s")} AND deliver_at < now() - interval '1 second'
    ORDER BY deliver_at LIMIT 20`,
  overrides: { realmName: notNull },
});

/** A scheduled message or reminder that should have been sent. */
export type LateMessage = RowOf<typeof late>;

/** Lists overdue messages, most overdue first, at most twenty. */
export function lateMessages(sql: Sql): Promise<LateMessage[]> {
  return sql.rows(late);
}
