import { column, pending, statement, type RowOf, type Sql } from "@carillon/db";

const late = statement({
  name: "dashboard-late",
  text: `SELECT id, realm_id AS "realmId", extract(epoch FROM deliver_at)::float8 AS "deliverAt",
      extract(epoch FROM now() - deliver_at)::float8 AS late, alarmed_at IS NOT NULL AS alarmed
    FROM scheduled_messages s
    WHERE ${pending("s")} AND deliver_at < now() - interval '1 second'
    ORDER BY deliver_at LIMIT 20`,
  row: {
    id: column.bigint,
    realmId: column.int,
    /** UNIX seconds */
    deliverAt: column.float,
    /** Seconds */
    late: column.float,
    alarmed: column.bool,
  },
});

/** A scheduled message that should have been sent. */
export type LateMessage = RowOf<typeof late.columns>;

/** The latest-running ones first, at most twenty. */
export function lateMessages(sql: Sql): Promise<LateMessage[]> {
  return sql.rows(late);
}
