import type { Sql } from "@carillon/db";

import { presentScheduled, type ScheduledRecord } from "./record.ts";
import { scheduledColumns, scheduledKind, scheduledTables, type ScheduledRow } from "./row.ts";

/** The account's undelivered messages, failed ones included, in the order of their time (scheduled-messages.md §3). */
export async function listScheduled(sql: Sql, senderId: number): Promise<ScheduledRecord[]> {
  const rows = await sql.rows<ScheduledRow>(
    {
      name: "scheduled-list",
      text: `SELECT ${scheduledColumns} FROM ${scheduledTables}
        WHERE s.sender_id = $1 AND s.kind = ${scheduledKind.sendLater} AND NOT s.delivered
        ORDER BY s.deliver_at, s.id`,
    },
    [senderId],
  );
  return rows.map(presentScheduled);
}
