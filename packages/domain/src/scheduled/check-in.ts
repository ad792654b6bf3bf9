import { type Condition, errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Account } from "@carillon/model";
import { deliveryScheduled, scheduledKind } from "@carillon/scheduling";

import { scheduledEvents } from "./scheduled-events.ts";
import { lockScheduled, loadScheduledRow, type ScheduledRow } from "./row.ts";
import { findSeries, openSeries, type SeriesRow } from "./series/series-row.ts";

type CheckInCondition = Extract<Condition, { kind: "check_in" }>;

const store = statement({
  name: "scheduled-check-in",
  text: `UPDATE scheduled_messages SET last_check_in = clock_timestamp(),
      checked_in_by = array_append(array_remove(checked_in_by, $2::int), $2::int)
    WHERE id = $1`,
});

/** Moves a delivery as an edit does. Rounds its time up to a whole second. */
const postpone = statement({
  name: "scheduled-postpone",
  text: `UPDATE scheduled_messages SET version = version + 1, alarmed_at = NULL, attempts = 0, retry_at = NULL,
      deliver_at = date_trunc('second', clock_timestamp() + make_interval(secs => $2::int) + interval '0.999999 seconds')
    WHERE id = $1 RETURNING version, extract(epoch FROM deliver_at)::float8 AS "deliverAt"`,
});

/**
 * Checks in at a scheduled message (once-and-again.md §4). Locks the row as the delivery does: once the check-in is answered,
 * the message is not sent at the time that it had before.
 * @returns the time of the delivery, UNIX seconds
 * @throws ApiError 404 `BAD_REQUEST` unless the account is its sender, or one that a `check_in` condition names; 400 without
 *   such a condition, and for a message that was sent or has failed
 */
export async function checkIn(
  tx: Tx,
  { id: accountId, realmId }: Account,
  id: number,
): Promise<number> {
  // Check before locking: an account that may not check in must not delay a delivery.
  const seen = await loadScheduledRow(tx, realmId, id);
  if (!seen || !mayCheckIn(seen, accountId)) throw notFound(id);
  await lockScheduled(tx, id);
  const row = await loadScheduledRow(tx, realmId, id);
  if (!row || !mayCheckIn(row, accountId)) throw notFound(id);
  if (row.delivered) throw errors.badRequest("This message has been sent already");
  if (row.failed) throw errors.badRequest("This message could not be sent");
  const conditions = checkIns(row);
  if (conditions.length === 0) throw errors.badRequest("This message has no check_in condition");
  await tx.rows(store, [id, accountId]);
  const intervals = conditions.flatMap((condition) =>
    condition.interval !== undefined && isNamed(row, condition, accountId)
      ? [condition.interval]
      : [],
  );
  if (intervals.length === 0) return row.deliverAt;
  const moved = await tx.first(postpone, [id, Math.min(...intervals)]);
  if (!moved) throw new Error(`scheduled message ${id} was not postponed`);
  emit(tx, realmId, [scheduledEvents.update({ ...row, ...moved })]);
  tx.publishAfterCommit(deliveryScheduled, { realmId, scheduledMessageId: id, ...moved });
  return moved.deliverAt;
}

/**
 * Checks in at the planned occurrence of a series (once-and-again.md §4). Locks the occurrence as the delivery does: if
 * it is delivered while this waits for the lock, the check-in counts for the next occurrence.
 * @returns the time of the planned occurrence, UNIX seconds
 * @throws ApiError 404 `BAD_REQUEST` unless the account is its author, or one that a `check_in` condition names; 400 without
 *   such a condition, and without a planned occurrence
 */
export async function checkInAtSeries(
  tx: Tx,
  { id: accountId, realmId }: Account,
  id: number,
): Promise<number> {
  const seen = await findSeries(tx, realmId, id);
  if (!seen || !isNamedAt(watchedBy(seen), accountId)) throw seriesNotFound();
  const open = await openSeries(tx, id);
  if (!open || !isNamedAt(watchedBy(open.series), accountId)) throw seriesNotFound();
  if (checkIns(open.series).length === 0)
    throw errors.badRequest("This series has no check_in condition");
  if (!open.planned) throw errors.badRequest("This series has no planned occurrence");
  await tx.rows(store, [open.planned.id, accountId]);
  return open.planned.deliverAt;
}

/** The sender of a message or the author of a series, and the conditions. */
type Watched = Pick<ScheduledRow, "senderId" | "unless">;

function watchedBy({ authorId, unless }: SeriesRow): Watched {
  return { senderId: authorId, unless };
}

function checkIns({ unless }: Pick<Watched, "unless">): CheckInCondition[] {
  return (unless ?? []).filter((condition) => condition.kind === "check_in");
}

function isNamed({ senderId }: Watched, { by }: CheckInCondition, accountId: number): boolean {
  return accountId === senderId || by?.includes(accountId) === true;
}

/** Whether the account is the sender, or one that a condition names. */
function isNamedAt(watched: Watched, accountId: number): boolean {
  return (
    watched.senderId === accountId ||
    checkIns(watched).some((condition) => isNamed(watched, condition, accountId))
  );
}

function mayCheckIn(row: ScheduledRow, accountId: number): boolean {
  return row.kind === scheduledKind.sendLater && isNamedAt(row, accountId);
}

function notFound(id: number) {
  return errors.notFound404(`There is no scheduled message ${id} at which you could check in`);
}

function seriesNotFound() {
  return errors.notFound404("There is no such series at which you could check in");
}
