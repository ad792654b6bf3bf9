import { pending, type Sql } from "@carillon/db";

/** A scheduled message that should have been sent. */
export interface LateMessage {
  readonly id: number;
  readonly realmId: number;
  /** UNIX seconds */
  readonly deliverAt: number;
  /** Seconds */
  readonly late: number;
  readonly alarmed: boolean;
}

/** The latest-running ones first, at most twenty. */
export function lateMessages(sql: Sql): Promise<LateMessage[]> {
  return sql.rows({
    name: "dashboard-late",
    text: `SELECT id, realm_id AS "realmId", extract(epoch FROM deliver_at)::float8 AS "deliverAt",
        extract(epoch FROM now() - deliver_at)::float8 AS late, alarmed_at IS NOT NULL AS alarmed
      FROM scheduled_messages s
      WHERE ${pending("s")} AND deliver_at < now() - interval '1 second'
      ORDER BY deliver_at LIMIT 20`,
  });
}
