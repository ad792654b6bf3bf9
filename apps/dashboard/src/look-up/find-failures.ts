import { statement, type RowOf, type Sql } from "@carillon/db";

const ofMessages = statement({
  name: "dashboard-failures-of",
  // `failedAt` is the time at which the failing delivery claimed the row.
  text: `SELECT f.scheduled_message_id AS "scheduledMessageId", f.version, f.reason, f.process,
      extract(epoch FROM f.due_at)::float8 AS "dueAt", extract(epoch FROM f.failed_at)::float8 AS "failedAt",
      f.notice_id AS "noticeId"
    FROM delivery_failures f WHERE f.scheduled_message_id = ANY($1::bigint[]) ORDER BY f.id LIMIT 200`,
});

/** One failure of a scheduled message. Times are UNIX seconds. */
export type FailureView = RowOf<typeof ofMessages>;

/** Finds the failures of scheduled messages, oldest first. */
export function findFailures(sql: Sql, ids: readonly number[]): Promise<FailureView[]> {
  return ids.length === 0 ? Promise.resolve([]) : sql.rows(ofMessages, [ids]);
}
