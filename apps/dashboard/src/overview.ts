import { column, statement, type RowOf, type Sql } from "@carillon/db";
import { pending, scheduledKind } from "@carillon/scheduling";

const late = statement({
  name: "dashboard-late",
  text: `SELECT id, kind = ${scheduledKind.reminder} AS "isReminder", realm_id AS "realmId",
      (SELECT name FROM realms r WHERE r.id = s.realm_id) AS "realmName", extract(epoch FROM deliver_at)::float8 AS "deliverAt",
      extract(epoch FROM now() - deliver_at)::float8 AS late, alarmed_at IS NOT NULL AS enqueued
    FROM scheduled_messages s
    WHERE ${pending("s")} AND deliver_at < now() - interval '1 second'
    ORDER BY deliver_at LIMIT 20`,
  row: {
    id: column.bigint,
    isReminder: column.bool,
    realmId: column.int,
    realmName: column.text.neverNullHere(),
    /** UNIX seconds */
    deliverAt: column.float,
    /** Seconds */
    late: column.float,
    enqueued: column.bool,
  },
});

/** A scheduled message or reminder that should have been sent. */
export type LateMessage = RowOf<typeof late.columns>;

/** Lists overdue messages, most overdue first, at most twenty. */
export function lateMessages(sql: Sql): Promise<LateMessage[]> {
  return sql.rows(late);
}
