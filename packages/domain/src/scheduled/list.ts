import type { Condition, ReminderResource, ScheduledMessageResource } from "@carillon/contract";
import { notNull, readList, statement, typed, type PagedList, type Sql } from "@carillon/db";
import { scheduledKind, undelivered, type ScheduledKind } from "@carillon/scheduling";

import { presentScheduled } from "./scheduled-events.ts";
import { presentReminder } from "./reminder-events.ts";
import { scheduledColumns, scheduledOverrides, type ScheduledRow } from "./row.ts";

/** A kind of rows and its presentation to clients. */
export interface Listing<Resource> {
  readonly kind: ScheduledKind;
  readonly present: (row: ScheduledRow) => Resource;
}

/** Lists scheduled messages, without reminders (scheduled-messages.md §3). */
export const scheduledListing: Listing<ScheduledMessageResource> = {
  kind: scheduledKind.sendLater,
  present: presentScheduled,
};

/** Lists reminders (scheduled-messages.md §8). */
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
});

const byIds = statement({
  name: "scheduled-list-by-ids",
  text: `SELECT ${scheduledColumns} FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
      JOIN scheduled_messages s ON s.id = wanted.id JOIN recipients r ON r.id = s.recipient_id
    WHERE s.sender_id = $1 AND ${undelivered("s", "$3")} ORDER BY wanted.place`,
  overrides: scheduledOverrides,
});

/**
 * Lists the account's unsent rows of the kind, failed ones included, by time: as a whole, or in pages if the list is
 * large. A later page leaves out rows that were sent or deleted meanwhile, and keeps the place of an edited row.
 * @param sql a repeatable read transaction: sizes and rows must be of one snapshot
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

/** The conditions of a scheduled message as clients see them (once-and-again.md §4). */
export interface ListedConditions {
  readonly scheduled_message_id: number;
  readonly unless: Condition[];
  /** UNIX seconds; null before the first check-in. */
  readonly last_check_in: number | null;
}

const conditionSizes = statement({
  name: "scheduled-conditions-sizes",
  text: `SELECT s.id, (pg_column_size(s.unless) + 100)::int AS bytes FROM scheduled_messages s
    WHERE s.sender_id = $1 AND ${undelivered("s", `${scheduledKind.sendLater}`)} AND s.unless IS NOT NULL
    ORDER BY s.deliver_at, s.id`,
  overrides: { bytes: notNull },
});

const conditionsByIds = statement({
  name: "scheduled-conditions-by-ids",
  text: `SELECT s.id AS scheduled_message_id, s.unless, floor(extract(epoch FROM s.last_check_in))::bigint AS last_check_in
    FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place) JOIN scheduled_messages s ON s.id = wanted.id
    WHERE s.sender_id = $1 AND ${undelivered("s", `${scheduledKind.sendLater}`)} AND s.unless IS NOT NULL ORDER BY wanted.place`,
  overrides: { unless: typed<Condition[]>().notNull },
});

/**
 * Lists the account's unsent messages that have conditions, by time.
 * @param sql a repeatable read transaction: sizes and rows must be of one snapshot
 */
export async function listConditions(
  sql: Sql,
  senderId: number,
): Promise<ListedConditions[] | PagedList<ListedConditions>> {
  return readList(sql, await sql.rows(conditionSizes, [senderId]), (one, ids) =>
    one.rows(conditionsByIds, [senderId, ids]),
  );
}

/** Why a scheduled message could not be sent (scheduled-messages.md §3.1). */
export interface ListedFailure {
  readonly scheduled_message_id: number;
  readonly reason: string;
  /** UNIX seconds; null if no time was recorded. */
  readonly failed_timestamp: number | null;
}

const failed = `${undelivered("s", `${scheduledKind.sendLater}`)} AND s.failed`;

const failureSizes = statement({
  name: "scheduled-failures-sizes",
  text: `SELECT s.id, (coalesce(octet_length(s.failure_message), 0) + 100)::int AS bytes FROM scheduled_messages s
    WHERE s.sender_id = $1 AND ${failed} ORDER BY s.deliver_at, s.id`,
});

const failuresByIds = statement({
  name: "scheduled-failures-by-ids",
  text: `SELECT s.id AS scheduled_message_id, coalesce(s.failure_message, '') AS reason,
      floor(extract(epoch FROM s.ended_at))::bigint AS failed_timestamp
    FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place) JOIN scheduled_messages s ON s.id = wanted.id
    WHERE s.sender_id = $1 AND ${failed} ORDER BY wanted.place`,
});

/**
 * Lists why the account's scheduled messages failed, by time.
 * @param sql a repeatable read transaction: sizes and rows must be of one snapshot
 */
export async function listFailures(
  sql: Sql,
  senderId: number,
): Promise<ListedFailure[] | PagedList<ListedFailure>> {
  return readList(sql, await sql.rows(failureSizes, [senderId]), (one, ids) =>
    one.rows(failuresByIds, [senderId, ids]),
  );
}
