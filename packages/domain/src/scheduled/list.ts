import type { ReminderResource, ScheduledMessageResource } from "@carillon/contract";
import { column, readList, statement, type PagedList, type Sql } from "@carillon/db";
import { scheduledKind, undelivered, type ScheduledKind } from "@carillon/scheduling";

import { presentScheduled } from "./record.ts";
import { presentReminder } from "./reminder-record.ts";
import { scheduledColumns, scheduledRow, type ScheduledRow } from "./row.ts";

/** One kind of rows, as clients see them. */
export interface Listing<Resource> {
  readonly kind: ScheduledKind;
  readonly present: (row: ScheduledRow) => Resource;
}

/** What `GET /scheduled_messages` lists (scheduled-messages.md §3). */
export const scheduledListing: Listing<ScheduledMessageResource> = {
  kind: scheduledKind.sendLater,
  present: presentScheduled,
};

/** What `GET /reminders` lists (scheduled-messages.md §8). */
export const reminderListing: Listing<ReminderResource> = {
  kind: scheduledKind.reminder,
  present: presentReminder,
};

const sizes = statement({
  name: "scheduled-list-sizes",
  text: `SELECT s.id,
      (octet_length(s.content) + octet_length(s.rendered_content) + coalesce(octet_length(s.reminder_note), 0) + 500)::int
        AS bytes
    FROM scheduled_messages s WHERE s.sender_id = $1 AND ${undelivered("s", "$2")} ORDER BY s.deliver_at, s.id`,
  row: { id: column.bigint, bytes: column.int.neverNullHere() },
});

const byIds = statement({
  name: "scheduled-list-by-ids",
  text: `SELECT ${scheduledColumns} FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
      JOIN scheduled_messages s ON s.id = wanted.id JOIN recipients r ON r.id = s.recipient_id
    WHERE s.sender_id = $1 AND ${undelivered("s", "$3")} ORDER BY wanted.place`,
  row: scheduledRow,
});

/**
 * What the account has of the kind that is not sent, failed ones included, in the order of their time: all of it, or
 * page by page where it is large. Rows of a later page that have been sent or deleted by then are left out; one that was
 * edited stands where it stood.
 * @param sql a transaction, repeatable read: the list must be of one moment
 */
export async function listScheduled<Resource>(
  sql: Sql,
  { kind, present }: Listing<Resource>,
  senderId: number,
): Promise<Resource[] | PagedList<Resource>> {
  return readList(sql, await sql.rows(sizes, [senderId, kind]), async (one, ids) =>
    (await one.rows(byIds, [senderId, ids, kind])).map(present),
  );
}
