import { undelivered, type Sql } from "@carillon/db";

import { presentScheduled, type ScheduledRecord } from "./record.ts";
import { scheduledColumns, scheduledTables, type ScheduledRow } from "./row.ts";

/** Rows of one page: with the longest texts about 4 MB, which the driver reads in one go. */
const page = 200;

const pageAfter = {
  name: "scheduled-list",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables}
    WHERE s.sender_id = $1 AND ${undelivered("s")}
      AND ($2::bigint IS NULL
        OR (s.deliver_at, s.id) > ((SELECT deliver_at FROM scheduled_messages WHERE id = $2), $2))
    ORDER BY s.deliver_at, s.id LIMIT ${page}`,
};

/**
 * The account's undelivered messages, failed ones included, in the order of their time (scheduled-messages.md §3).
 * @param sql a transaction, repeatable read: the pages must be of one moment
 */
export async function listScheduled(sql: Sql, senderId: number): Promise<ScheduledRecord[]> {
  const records: ScheduledRecord[] = [];
  for (let last: number | null = null; ;) {
    const rows: ScheduledRow[] = await sql.rows<ScheduledRow>(pageAfter, [senderId, last]);
    records.push(...rows.map(presentScheduled));
    if (rows.length < page) return records;
    last = rows.at(-1)?.id ?? null;
  }
}
