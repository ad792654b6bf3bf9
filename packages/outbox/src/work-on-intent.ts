import {
  type Database,
  notNull,
  type RowOf,
  type Sql,
  sqlState,
  statement,
  type Tx,
} from "@carillon/db";
import type { IntentDefinition, IntentRef } from "@carillon/jobs";

import { storedReason } from "./intents.ts";

export interface ClaimedIntent<Payload> {
  readonly id: number;
  readonly realmId: number;
  readonly payload: Payload;
}

/** Sets `lock_timeout` for the rest of the transaction; 0 means no limit. */
const setLockTimeout = statement({
  name: "set-lock-timeout",
  text: "SELECT set_config('lock_timeout', $1, true) AS ms",
});

/** SQL: whether the intent's organization is deactivated; null if it has none. */
const isDeactivated =
  "(SELECT r.deactivated FROM realms r WHERE r.id = job_intent.realm_id) AS deactivated";

const claim = statement({
  name: "intent-claim",
  text: `SELECT realm_id AS "realmId", payload, ${isDeactivated} FROM job_intent
    WHERE id = $1 AND version = $2 AND state = 'pending' FOR NO KEY UPDATE`,
});

/** How long a claim waits, in milliseconds: longer than marking the row as enqueued takes. */
const claimTimeoutMs = 2_000;

/** SQLSTATE of a lock that was not granted in time. */
const lockNotAvailable = "55P03";

/** Another transaction holds the intent, or a lock that its work needs, for too long: the job must be retried. */
export class IntentBusy extends Error {
  override readonly name = "IntentBusy";
}

/**
 * Runs a statement that waits for a lock, with a short `lock_timeout`.
 * @param reason for the error
 * @throws IntentBusy when another transaction holds the lock for longer than `waitMs` milliseconds
 */
export async function lockSoon<R>(
  tx: Tx,
  waitMs: number,
  reason: string,
  lock: () => Promise<R>,
): Promise<R> {
  const lockTimeout = (ms: number) => tx.rows(setLockTimeout, [String(ms)]);
  try {
    // One round trip: the connection runs the statements in this order.
    const limited = lockTimeout(waitMs);
    const locked = lock();
    await Promise.all([limited, locked, lockTimeout(0)]);
    return await locked;
  } catch (error) {
    if (sqlState(error) !== lockNotAvailable) throw error;
    throw new IntentBusy(reason, { cause: error });
  }
}

/** Runs a statement that locks an intent's row. @throws IntentBusy */
async function lockIntent<R>(
  tx: Tx,
  intentId: number,
  lock: () => Promise<readonly R[]>,
): Promise<R | undefined> {
  const reason = `another transaction holds intent ${intentId}`;
  return (await lockSoon(tx, claimTimeoutMs, reason, lock))[0];
}

/**
 * Locks an intent for this transaction, so that its work and {@link finishIntent} commit together and the work is done
 * once. The publisher may be marking the row as enqueued; the claim waits for that.
 * @returns undefined when the intent is done or dead, was replayed, or waits because its organization is deactivated
 * @throws IntentBusy when another transaction holds it for longer than two seconds; Error when it belongs to no
 *   organization
 */
export async function claimIntent<Payload>(
  tx: Tx,
  definition: IntentDefinition<Payload>,
  { intentId, version }: IntentRef,
): Promise<ClaimedIntent<Payload> | undefined> {
  const row = await lockIntent(tx, intentId, () =>
    tx.lock({ name: "intent", keys: [intentId] }, claim, [intentId, version]),
  );
  return row && runnable(tx, definition, { intentId, version }, row);
}

const suspend = statement({
  name: "intent-suspend",
  text: `UPDATE job_intent SET enqueued_at = 'infinity' WHERE id = $1 AND version = $2 AND state = 'pending'`,
});

/**
 * Returns the intent, unless its organization is deactivated: then the row is marked with the time `infinity` and stays
 * pending, and the sweep adds its job after the reactivation (`resumeSuspended`).
 */
async function runnable<Payload>(
  sql: Sql,
  definition: IntentDefinition<Payload>,
  { intentId, version }: IntentRef,
  row: RowOf<typeof claim>,
): Promise<ClaimedIntent<Payload> | undefined> {
  const intent = parsed(definition, intentId, row);
  if (row.deactivated !== true || definition.runsInDeactivated?.(intent.payload)) return intent;
  await sql.rows(suspend, [intentId, version]);
  return undefined;
}

const look = statement({
  name: "intent-look",
  text: `SELECT realm_id AS "realmId", payload, ${isDeactivated} FROM job_intent
    WHERE id = $1 AND version = $2 AND state = 'pending'`,
});

/**
 * Reads the intent without locking it: for work that calls another server, during which no transaction may be open.
 * @returns undefined when it is done or dead, was replayed, or waits because its organization is deactivated
 */
export async function readIntent<Payload>(
  sql: Sql,
  definition: IntentDefinition<Payload>,
  { intentId, version }: IntentRef,
): Promise<ClaimedIntent<Payload> | undefined> {
  const [row] = await sql.rows(look, [intentId, version]);
  return row && runnable(sql, definition, { intentId, version }, row);
}

const beginCall = statement({
  name: "intent-begin-call",
  text: `WITH held AS MATERIALIZED (
      SELECT id, realm_id, payload, run_at, version, called_version FROM job_intent
      WHERE id = $1 AND version = $2 AND state = 'pending' FOR NO KEY UPDATE
    ), marked AS (
      UPDATE job_intent i SET called_version = held.version FROM held
      WHERE i.id = held.id AND held.called_version IS DISTINCT FROM held.version
    )
    SELECT realm_id AS "realmId", payload,
      (SELECT r.deactivated FROM realms r WHERE r.id = held.realm_id) AS deactivated, called_version IS NOT DISTINCT FROM version AS called,
      extract(epoch FROM now() - run_at)::float8 * 1000 AS "ageMs"
    FROM held`,
  overrides: { ageMs: notNull },
});

/** An intent whose call may go out after this transaction. */
export interface CallingIntent<Payload> extends ClaimedIntent<Payload> {
  /** Whether an earlier attempt may have called, counted or not. */
  readonly called: boolean;
  /** Milliseconds since the intent was first due, or since its replay. */
  readonly ageMs: number;
}

/**
 * Locks an intent and records that its call may go out once this transaction has committed. The row remembers it because
 * BullMQ counts no attempt of a worker that was killed, or of a job that was handed back or re-created.
 * @returns undefined when it is done, dead or replayed since, or waits because its organization is deactivated
 * @throws IntentBusy when another transaction holds it for longer than two seconds
 */
export async function beginIntentCall<Payload>(
  tx: Tx,
  definition: IntentDefinition<Payload>,
  { intentId, version }: IntentRef,
): Promise<CallingIntent<Payload> | undefined> {
  const row = await lockIntent(tx, intentId, () =>
    tx.lock({ name: "intent", keys: [intentId] }, beginCall, [intentId, version]),
  );
  const intent = row && (await runnable(tx, definition, { intentId, version }, row));
  return intent && { ...intent, called: row.called, ageMs: row.ageMs };
}

/** Returns a claimed intent with its payload parsed. @throws Error when the intent belongs to no organization */
function parsed<Payload>(
  definition: IntentDefinition<Payload>,
  id: number,
  { realmId, payload }: RowOf<typeof claim>,
): ClaimedIntent<Payload> {
  if (realmId === null) throw new Error(`intent ${id} belongs to no organization`);
  return { id, realmId, payload: definition.intent.parse(payload) };
}

/**
 * Claims an intent, does its work and finishes it, in one transaction. Does nothing when the intent is done or dead, or
 * was replayed.
 * @throws IntentBusy when another transaction holds it for longer than two seconds
 */
export async function doIntent<Payload>(
  db: Pick<Database, "transaction">,
  definition: IntentDefinition<Payload>,
  ref: IntentRef,
  work: (tx: Tx, intent: ClaimedIntent<Payload>) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const intent = await claimIntent(tx, definition, ref);
    if (!intent) return;
    await finishIntent(tx, intent.id);
    await work(tx, intent);
  });
}

const finish = statement({
  name: "intent-finish",
  text: `UPDATE job_intent SET state = 'done', finished_at = now(), attempts = attempts + 1, last_error = NULL
    WHERE id = $1`,
});

/** Marks the intent as done. */
export async function finishIntent(tx: Tx, intentId: number): Promise<void> {
  await tx.rows(finish, [intentId]);
}

const fail = statement({
  name: "intent-fail",
  text: `UPDATE job_intent SET attempts = attempts + 1, last_error = $3,
      state = CASE WHEN $4 THEN 'dead' ELSE state END,
      enqueued_at = CASE WHEN $4 THEN enqueued_at ELSE now() END,
      finished_at = CASE WHEN $4 THEN now() ELSE finished_at END
    WHERE id = $1 AND version = $2 AND state = 'pending'`,
});

/**
 * Records a failure. With `dead` the intent becomes a dead letter until an operator replays it; otherwise its job goes
 * back to the queue, and the row is marked as enqueued now.
 */
export async function failIntent(
  sql: Sql,
  { intentId, version }: IntentRef,
  failure: { reason: string; dead: boolean },
): Promise<void> {
  await sql.rows(fail, [intentId, version, storedReason(failure.reason), failure.dead]);
}

const firstOfAccount = statement({
  name: "intent-first-of-account",
  text: `SELECT id AS "intentId", version FROM job_intent
    WHERE job = $1 AND (payload->>'userId')::int = $2 AND state = 'pending' AND id <= $3 ORDER BY id LIMIT 1`,
});

/**
 * Finds the account's first pending intent of the job, for work that goes in order.
 * @param upTo id of the last intent looked at
 */
export async function firstIntentOfAccount(
  sql: Sql,
  { name }: IntentDefinition<{ readonly userId: number }>,
  userId: number,
  upTo: number,
): Promise<IntentRef | undefined> {
  const [first] = await sql.rows(firstOfAccount, [name, userId, upTo]);
  return first;
}
