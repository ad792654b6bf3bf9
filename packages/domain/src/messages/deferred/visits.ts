import { errors } from "@carillon/contract";
import { type Database, type Sql, statement, type Tx } from "@carillon/db";
import { makeCopies } from "@carillon/jobs";
import { systemClock, uniqueId } from "@carillon/kit";
import { recordIntents } from "@carillon/outbox";

import { makeDeferredCopies, makeNextSlice } from "./make-copies.ts";

/** Records a visit, so that later runs do not defer the person's copies. Waits while a run is deferring them. */
const visit = statement({
  name: "visit",
  text: `INSERT INTO account_visits (user_id) VALUES ($1) ON CONFLICT (user_id) DO UPDATE SET visited_at = now()`,
});

const hasDeferred = statement({
  name: "has-deferred-copies",
  text: `SELECT EXISTS (SELECT FROM subscriptions WHERE user_id = $1 AND deferred_after IS NOT NULL) AS found`,
});

/** Milliseconds for which a request makes copies, about 300,000 of them. A job makes the remaining copies. */
const waitMs = 5_000;
/** Seconds after which a client should repeat a request that was refused because copies are missing. */
const retryAfter = 2;

/** The person who sends a request. */
interface Visitor {
  readonly id: number;
  readonly realmId: number;
}

/**
 * Records a visit of the person, and makes their deferred copies, so that the answer to the request is right
 * (docs/decisions/083). Gateways call it once an hour for each person.
 * @returns the number of copies made
 * @throws ApiError `INTERNAL_ERROR` (503) if it takes longer than `ms`: a job continues
 */
export async function recordVisit(db: Database, visitor: Visitor, ms = waitMs): Promise<number> {
  await db.rows(visit, [visitor.id]);
  // A second statement, with a new snapshot: the first one may have waited for the transaction that defers the copies.
  if (!(await isDeferred(db, visitor.id))) return 0;
  const until = systemClock.now() + ms;
  const { copies, isDone } = await makeDeferredCopies(
    db,
    visitor.id,
    () => systemClock.now() < until,
  );
  if (isDone) return copies;
  await db.transaction((tx) => recordRest(tx, visitor));
  throw errors.comingBack(retryAfter);
}

async function isDeferred(sql: Sql, userId: number): Promise<boolean> {
  const [row] = await sql.rows(hasDeferred, [userId]);
  return row?.found ?? false;
}

/** Records a job that makes the remaining copies, at most one an hour for each person. */
async function recordRest(tx: Tx, { id: userId, realmId }: Visitor): Promise<void> {
  const hour = Math.floor(systemClock.now() / 3_600_000);
  await recordIntents(tx, realmId, makeCopies, [{ key: `${userId}-${hour}`, payload: { userId } }]);
}

/** Makes some of a person's deferred copies, and records a job for the next step if copies remain. */
export async function runMakeCopiesStep(tx: Tx, realmId: number, userId: number): Promise<void> {
  if (await makeNextSlice(tx, userId)) return;
  await recordIntents(tx, realmId, makeCopies, [{ key: uniqueId(), payload: { userId } }]);
}
