import type { ReminderResource, ScheduledMessageResource } from "@carillon/contract";
import {
  column,
  scheduledKind,
  statement,
  undelivered,
  type ScheduledKind,
  type Sql,
} from "@carillon/db";

import { presentScheduled } from "./record.ts";
import { presentReminder } from "./reminder-record.ts";
import { scheduledColumns, scheduledRow, scheduledTables, type ScheduledRow } from "./row.ts";

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

/** Rows of one page: with the longest texts about 4 MB, which the driver reads in one go. */
const page = 200;

const pageAfter = statement({
  name: "scheduled-list",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables}
    WHERE s.sender_id = $1 AND ${undelivered("s", "$3")}
      AND ($2::bigint IS NULL
        OR (s.deliver_at, s.id) > ((SELECT deliver_at FROM scheduled_messages WHERE id = $2), $2))
    ORDER BY s.deliver_at, s.id LIMIT ${page}`,
  row: scheduledRow,
});

/**
 * What the account has of the kind that is not sent, failed ones included, in the order of their time.
 * @param sql a transaction, repeatable read: the pages must be of one moment
 */
export async function listScheduled<Resource>(
  sql: Sql,
  { kind, present }: Listing<Resource>,
  senderId: number,
): Promise<Resource[]> {
  const records: Resource[] = [];
  for (let last: number | null = null; ;) {
    const rows: ScheduledRow[] = await sql.rows(pageAfter, [senderId, last, kind]);
    records.push(...rows.map(present));
    if (rows.length < page) return records;
    last = rows.at(-1)?.id ?? null;
  }
}

const ids = statement({
  name: "scheduled-list-ids",
  text: `SELECT s.id FROM scheduled_messages s WHERE s.sender_id = $1 AND ${undelivered("s", "$2")}
    ORDER BY s.deliver_at, s.id`,
  row: { id: column.bigint },
});

const byIds = statement({
  name: "scheduled-list-by-ids",
  text: `SELECT ${scheduledColumns} FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
      JOIN scheduled_messages s ON s.id = wanted.id JOIN recipients r ON r.id = s.recipient_id
    WHERE s.sender_id = $1 AND ${undelivered("s", "$3")} ORDER BY wanted.place`,
  row: scheduledRow,
});

/** A list too long for one page: its beginning, and what comes after that. */
export interface LongScheduled<Resource> {
  readonly first: Resource[];
  /** Ids, in the order of their time. */
  readonly rest: readonly number[];
}

/**
 * As {@link listScheduled}, of a list that is longer than a page only the beginning.
 * @param sql as there
 */
export async function beginScheduledList<Resource>(
  sql: Sql,
  { kind, present }: Listing<Resource>,
  senderId: number,
): Promise<LongScheduled<Resource>> {
  const rows = await sql.rows(pageAfter, [senderId, null, kind]);
  const all = rows.length < page ? [] : await sql.rows(ids, [senderId, kind]);
  return { first: rows.map(present), rest: all.slice(page).map(({ id }) => id) };
}

/**
 * The records of a list that was begun, a page at a time, each as it is when its page is read. Those that have been
 * sent or deleted by then are left out; one that was edited stands where it stood.
 * @param sql each page is a statement of its own: nobody's transaction waits for a client that reads slowly
 */
export async function* scheduledPages<Resource>(
  sql: Sql,
  { kind, present }: Listing<Resource>,
  senderId: number,
  { first, rest }: LongScheduled<Resource>,
): AsyncGenerator<Resource[]> {
  yield first;
  for (let at = 0; at < rest.length; at += page) {
    const rows = await sql.rows(byIds, [senderId, rest.slice(at, at + page), kind]);
    yield rows.map(present);
  }
}
