import { column, type RowOf, type Sql, sqlState, statement, type Tx } from "@carillon/db";
import type { IntentDefinition, IntentRef } from "@carillon/jobs";

export interface ClaimedIntent<Payload> {
  readonly id: number;
  readonly realmId: number;
  readonly payload: Payload;
}

/** For the rest of the transaction; 0 waits as long as it takes. */
const setLockTimeout = statement({
  name: "set-lock-timeout",
  text: "SELECT set_config('lock_timeout', $1, true) AS ms",
  row: { ms: column.text },
});

const intentRow = { realmId: column.int.orNull(), payload: column.json<unknown>() };

const claim = statement({
  name: "intent-claim",
  text: `SELECT realm_id AS "realmId", payload FROM job_intent
    WHERE id = $1 AND version = $2 AND state = 'pending' FOR NO KEY UPDATE`,
  row: intentRow,
});

/** How long a claim waits, in milliseconds: a stamp takes no longer. */
const claimTimeoutMs = 2_000;

/** Another transaction has the intent, and keeps it: its job has to come again. */
export class IntentBusy extends Error {
  override readonly name = "IntentBusy";
}

/**
 * Takes an intent for this transaction; undefined when it is done, dead or replayed since. Somebody who has just
 * published it may be stamping it: that is awaited. What the transaction does and `finishIntent` commit together:
 * the work is done once.
 * @throws IntentBusy when another transaction has it for longer than two seconds; Error when it is no organization's
 */
export async function claimIntent<Payload>(
  tx: Tx,
  definition: IntentDefinition<Payload>,
  { intentId, version }: IntentRef,
): Promise<ClaimedIntent<Payload> | undefined> {
  const lockTimeout = (ms: number) => tx.rows(setLockTimeout, [String(ms)]);
  const [, [row]] = await Promise.all([
    lockTimeout(claimTimeoutMs),
    tx.lock({ name: "intent", keys: [intentId] }, claim, [intentId, version]),
    lockTimeout(0),
  ]).catch((error: unknown) => {
    if (sqlState(error) !== lockNotAvailable) throw error;
    throw new IntentBusy(`the intent ${intentId} is in other hands`, { cause: error });
  });
  return row && parsed(definition, intentId, row);
}

const look = statement({
  name: "intent-look",
  text: `SELECT realm_id AS "realmId", payload, extract(epoch FROM now() - run_at)::float8 * 1000 AS "ageMs"
    FROM job_intent WHERE id = $1 AND version = $2 AND state = 'pending'`,
  row: { ...intentRow, ageMs: column.float.neverNullHere() },
});

/** An intent that nobody has taken. */
export interface SeenIntent<Payload> extends ClaimedIntent<Payload> {
  /** Milliseconds since it was first to run, or was replayed. */
  readonly ageMs: number;
}

/**
 * The intent as it is, without taking it: for work that calls somebody else, while which no transaction may be open.
 * Undefined when it is done, dead or replayed since.
 */
export async function lookAtIntent<Payload>(
  sql: Sql,
  definition: IntentDefinition<Payload>,
  { intentId, version }: IntentRef,
): Promise<SeenIntent<Payload> | undefined> {
  const [row] = await sql.rows(look, [intentId, version]);
  return row && { ...parsed(definition, intentId, row), ageMs: row.ageMs };
}

/** @throws Error when it is no organization's */
function parsed<Payload>(
  definition: IntentDefinition<Payload>,
  id: number,
  { realmId, payload }: RowOf<typeof intentRow>,
): ClaimedIntent<Payload> {
  if (realmId === null)
    throw new Error(`the intent ${id} belongs to no organization, and its work is one's`);
  return { id, realmId, payload: definition.intent.parse(payload) };
}

/** SQLSTATE of a lock that was not had in time. */
const lockNotAvailable = "55P03";
