import type { ScheduledMessageResource } from "@carillon/contract";
import { column, statement, undelivered, type Sql } from "@carillon/db";

import { presentScheduled } from "./record.ts";
import { scheduledColumns, scheduledRow, scheduledTables, type ScheduledRow } from "./row.ts";

/** Rows of one page: with the longest texts about 4 MB, which the driver reads in one go. */
const page = 200;

const pageAfter = statement({
  name: "scheduled-list",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables}
    WHERE s.sender_id = $1 AND ${undelivered("s")}
      AND ($2::bigint IS NULL
        OR (s.deliver_at, s.id) > ((SELECT deliver_at FROM scheduled_messages WHERE id = $2), $2))
    ORDER BY s.deliver_at, s.id LIMIT ${page}`,
  row: scheduledRow,
});

/**
 * The account's undelivered messages, failed ones included, in the order of their time (scheduled-messages.md §3).
 * @param sql a transaction, repeatable read: the pages must be of one moment
 */
export async function listScheduled(
  sql: Sql,
  senderId: number,
): Promise<ScheduledMessageResource[]> {
  const records: ScheduledMessageResource[] = [];
  for (let last: number | null = null; ;) {
    const rows: ScheduledRow[] = await sql.rows(pageAfter, [senderId, last]);
    records.push(...rows.map(presentScheduled));
    if (rows.length < page) return records;
    last = rows.at(-1)?.id ?? null;
  }
}

const ids = statement({
  name: "scheduled-list-ids",
  text: `SELECT s.id FROM scheduled_messages s WHERE s.sender_id = $1 AND ${undelivered("s")}
    ORDER BY s.deliver_at, s.id`,
  row: { id: column.bigint },
});

const byIds = statement({
  name: "scheduled-list-by-ids",
  text: `SELECT ${scheduledColumns} FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
      JOIN scheduled_messages s ON s.id = wanted.id JOIN recipients r ON r.id = s.recipient_id
    WHERE s.sender_id = $1 AND ${undelivered("s")} ORDER BY wanted.place`,
  row: scheduledRow,
});

/** A list too long for one page: its beginning, and what comes after that. */
export interface LongScheduled {
  readonly first: ScheduledMessageResource[];
  /** Ids, in the order of their time. */
  readonly rest: readonly number[];
}

/**
 * As {@link listScheduled}, of a list that is longer than a page only the beginning.
 * @param sql as there
 */
export async function beginScheduledList(sql: Sql, senderId: number): Promise<LongScheduled> {
  const rows = await sql.rows(pageAfter, [senderId, null]);
  const all = rows.length < page ? [] : await sql.rows(ids, [senderId]);
  return { first: rows.map(presentScheduled), rest: all.slice(page).map(({ id }) => id) };
}

/**
 * The records of a list that was begun, a page at a time, each as it is when its page is read. Those that have been
 * sent or deleted by then are left out; one that was edited stands where it stood.
 * @param sql each page is a statement of its own: nobody's transaction waits for a client that reads slowly
 */
export async function* scheduledPages(
  sql: Sql,
  senderId: number,
  { first, rest }: LongScheduled,
): AsyncGenerator<ScheduledMessageResource[]> {
  yield first;
  for (let at = 0; at < rest.length; at += page) {
    const rows = await sql.rows(byIds, [senderId, rest.slice(at, at + page)]);
    yield rows.map(presentScheduled);
  }
}
