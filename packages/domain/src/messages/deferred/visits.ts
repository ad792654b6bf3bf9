import { errors } from "@carillon/contract";
import {
  type Database,
  notNull,
  RequestDeadline,
  type Sql,
  statement,
  type Tx,
} from "@carillon/db";
import { makeCopies } from "@carillon/jobs";
import { systemClock, uniqueId } from "@carillon/kit";
import { recordIntents } from "@carillon/outbox";

import { makeDeferredCopies, makeNextCopies } from "./make-copies.ts";

/** A visit of the last half hour is not recorded again, because a write costs a commit. */
const lookUp = statement({
  name: "visit-look-up",
  text: `SELECT p.id,
      EXISTS (SELECT FROM account_visits v WHERE v.user_id = p.id AND v.visited_at > now() - interval '30 minutes') AS "isRecorded",
      EXISTS (SELECT FROM subscriptions s WHERE s.user_id = p.id AND s.deferred_after IS NOT NULL) AS "isDeferred"
    FROM unnest($1::int[]) AS p (id)`,
  overrides: { id: notNull },
});

/** Waits while copies of these people are being deferred, and keeps later runs from deferring them. */
const record = statement({
  name: "visit-record",
  text: `INSERT INTO account_visits (user_id) SELECT u.id FROM users u WHERE u.id = ANY($1::int[])
    ORDER BY u.id ON CONFLICT (user_id) DO UPDATE SET visited_at = now()`,
});

/**
 * Records that people are there (docs/decisions/083). It is called once an hour for each person and process.
 * @returns whether copies of each person are deferred, in their order
 */
export async function recordVisits(sql: Sql, userIds: readonly number[]): Promise<boolean[]> {
  const found = await sql.rows(lookUp, [userIds]);
  const ids = found.flatMap(({ id, isRecorded }) => (isRecorded ? [] : [id]));
  const isDeferred = new Map(found.map((row) => [row.id, row.isDeferred]));
  if (ids.length > 0) {
    await sql.rows(record, [ids]);
    // A second look-up, because the first statement may have waited for the transaction that defers the copies.
    for (const row of await sql.rows(lookUp, [ids])) isDeferred.set(row.id, row.isDeferred);
  }
  return userIds.map((id) => isDeferred.get(id) ?? false);
}

/** Milliseconds for which a request makes copies: about 300,000 of them. A job makes the others. */
const waitMs = 5_000;

/**
 * Milliseconds after which a transaction that began in time is cancelled. Usually it ends by itself: it makes 10,000 copies,
 * or waits for audience locks for 2 s. It may also wait for rows of many channels and subscriptions, one after the other.
 */
const graceMs = 2_000;

/** The person who sends a request. */
interface Visitor {
  readonly id: number;
  readonly realmId: number;
}

/**
 * Makes the deferred copies of a person who has come back, so that the answer to the request is right.
 * @returns the number of copies made
 * @throws ApiError `INTERNAL_ERROR` (503) if that takes longer than {@link waitMs}, at most {@link graceMs} later. After any
 *   error a job continues.
 */
export async function makeMissedCopies(
  db: Database,
  visitor: Visitor,
  ms = waitMs,
): Promise<number> {
  const until = systemClock.now() + ms;
  const mayContinue = () => systemClock.now() < until;
  const deadline = new RequestDeadline();
  deadline.limit(ms + graceMs, () => errors.comingBack());
  let isDone = false;
  try {
    const made = await makeDeferredCopies(db.within(deadline), visitor.id, mayContinue);
    ({ isDone } = made);
    if (isDone) return made.copies;
  } finally {
    deadline.unlimit();
    if (!isDone) await db.transaction((tx) => recordRest(tx, visitor));
  }
  throw errors.comingBack();
}

/** Records a job that makes the remaining copies, at most one an hour for each person. */
async function recordRest(tx: Tx, { id: userId, realmId }: Visitor): Promise<void> {
  const hour = Math.floor(systemClock.now() / 3_600_000);
  await recordIntents(tx, realmId, makeCopies, [{ key: `${userId}-${hour}`, payload: { userId } }]);
}

/** Makes some of a person's deferred copies, and records a job for the next step if copies remain. */
export async function runMakeCopiesStep(tx: Tx, realmId: number, userId: number): Promise<void> {
  const { isDone } = await makeNextCopies(tx, userId);
  if (isDone) return;
  await recordIntents(tx, realmId, makeCopies, [{ key: uniqueId(), payload: { userId } }]);
}
