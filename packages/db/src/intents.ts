import type { IntentDefinition, IntentRef } from "@carillon/jobs";

import { column, type RowOf } from "./column.ts";
import { sqlState } from "./sql-errors.ts";
import type { Sql } from "./sql.ts";
import { statement } from "./statement.ts";
import type { Tx } from "./tx.ts";

export interface NewIntent<Payload> {
  /** A second one with this key is not recorded, until a day after the first one is done. */
  readonly key: string;
  readonly payload: Payload;
  /** At once unless given. */
  readonly runAt?: Date;
}

const columns = `id AS "intentId", version, job,
  extract(epoch FROM run_at - now())::float8 * 1000 AS "delayMs"`;

const queuedRow = {
  intentId: column.bigint,
  version: column.int,
  /** Name of the job. */
  job: column.text,
  /** Milliseconds until it may run; 0 or less for now. */
  delayMs: column.float,
};

/** An intent that waits for its job. */
export type QueuedIntent = RowOf<typeof queuedRow>;

const insert = statement({
  name: "intents-insert",
  text: `INSERT INTO job_intent (realm_id, job, unique_key, payload, run_at)
    SELECT $1, $2, i.key, i.payload, coalesce(i.run_at, now())
    FROM unnest($3::text[], $4::jsonb[], $5::timestamptz[]) AS i (key, payload, run_at)
    ON CONFLICT (unique_key) DO NOTHING RETURNING ${columns}`,
  row: queuedRow,
});

/**
 * Writes down background work in the transaction that causes it: it exists if and only if the change commits. The
 * outbox hears of it after the commit; the relay finds what its listeners missed.
 */
export async function recordIntents<Payload>(
  tx: Tx,
  realmId: number,
  definition: IntentDefinition<Payload>,
  intents: ReadonlyArray<NewIntent<NoInfer<Payload>>>,
): Promise<void> {
  if (intents.length === 0) return;
  const queued = await tx.rows(insert, [
    realmId,
    definition.name,
    intents.map(({ key }) => `${definition.name}/${key}`),
    intents.map(({ payload }) => JSON.stringify(definition.intent.parse(payload))),
    intents.map(({ runAt }) => runAt ?? null),
  ]);
  tx.leave("intents", queued);
}

const unqueued = statement({
  name: "unqueued-intents",
  text: `SELECT ${columns} FROM job_intent
    WHERE state = 'pending' AND enqueued_at IS NULL
      AND created_at <= now() - make_interval(secs => $1 / 1000.0) AND job = ANY($3::text[])
    ORDER BY created_at LIMIT $2`,
  row: queuedRow,
});

/**
 * Pending intents without a job in the queue, oldest first; younger ones are still about to get theirs.
 * @param limits `jobs`: names of the jobs that the caller knows; those of a newer release are for its processes
 */
export function unqueuedIntents(
  sql: Sql,
  limits: { jobs: readonly string[]; olderThanMs: number; limit: number },
): Promise<QueuedIntent[]> {
  return sql.rows(unqueued, [limits.olderThanMs, limits.limit, limits.jobs]);
}

const overdue = statement({
  name: "overdue-intents",
  text: `SELECT ${columns}, extract(epoch FROM now() - greatest(enqueued_at, run_at))::float8 * 1000 AS "quietMs"
    FROM job_intent
    WHERE state = 'pending' AND enqueued_at IS NOT NULL AND job = ANY($3::text[])
      AND greatest(enqueued_at, run_at) <= now() - make_interval(secs => $1 / 1000.0)
    ORDER BY greatest(enqueued_at, run_at) LIMIT $2`,
  row: {
    ...queuedRow,
    /** Milliseconds since its job was last known to be in the queue, or should have run. */
    quietMs: column.float,
  },
});

/** An intent whose job was put into the queue, or failed once more, a while ago. */
export type OverdueIntent = RowOf<typeof overdue.columns>;

/**
 * Pending intents that should have run and of whose jobs nothing was heard for longer than `overdueMs`, those first of
 * which nothing was heard for longest. Whether their jobs are lost, the queue knows.
 */
export function overdueIntents(
  sql: Sql,
  limits: { jobs: readonly string[]; overdueMs: number; limit: number },
): Promise<OverdueIntent[]> {
  return sql.rows(overdue, [limits.overdueMs, limits.limit, limits.jobs]);
}

const pendingOf = statement({
  name: "intents-still-pending",
  text: `SELECT i.id FROM job_intent i JOIN unnest($1::bigint[], $2::int[]) AS q (id, version) USING (id, version)
    WHERE i.state = 'pending'`,
  row: { id: column.bigint },
});

/** The ids of those intents that are still pending as this version. */
export async function stillPending(
  sql: Sql,
  intents: readonly IntentRef[],
): Promise<ReadonlySet<number>> {
  const rows = await sql.rows(pendingOf, [
    intents.map(({ intentId }) => intentId),
    intents.map(({ version }) => version),
  ]);
  return new Set(rows.map(({ id }) => id));
}

const stamp = statement({
  name: "intents-stamp",
  text: `WITH free AS (
      SELECT i.id FROM unnest($1::bigint[], $2::int[]) AS q (id, version)
      JOIN job_intent i ON i.id = q.id AND i.version = q.version
      WHERE i.state = 'pending' FOR NO KEY UPDATE OF i SKIP LOCKED)
    UPDATE job_intent i SET enqueued_at = now() FROM free WHERE i.id = free.id`,
  row: {},
});

/**
 * Notes that their jobs are in the queue. It waits for nobody: a row in other hands is being worked on, or stamped by
 * somebody who may have taken several of them in another order.
 */
export async function stampIntents(sql: Sql, intents: readonly IntentRef[]): Promise<void> {
  if (intents.length === 0) return;
  await sql.rows(stamp, [
    intents.map(({ intentId }) => intentId),
    intents.map(({ version }) => version),
  ]);
}

/** An intent whose job has ended for good without a word in its row. */
export interface EndedIntent extends IntentRef {
  /** Attempts that the job had, and did not count in the row. */
  readonly attempts: number;
  /** Attempts, of all its jobs together, after which it is dead. */
  readonly limit: number;
  readonly reason: string;
}

const count = statement({
  name: "intents-count-ended",
  text: `WITH free AS (
      SELECT i.id, i.attempts + q.attempts AS attempts, q.reason, i.attempts + q.attempts >= q.max AS dead
      FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::text[]) AS q (id, version, attempts, max, reason)
      JOIN job_intent i ON i.id = q.id AND i.version = q.version
      WHERE i.state = 'pending' FOR NO KEY UPDATE OF i SKIP LOCKED),
    counted AS (
      UPDATE job_intent i SET attempts = free.attempts, last_error = free.reason,
        state = CASE WHEN free.dead THEN 'dead' ELSE i.state END,
        finished_at = CASE WHEN free.dead THEN now() END,
        version = CASE WHEN free.dead THEN i.version ELSE i.version + 1 END,
        enqueued_at = CASE WHEN free.dead THEN i.enqueued_at END
      FROM free WHERE i.id = free.id RETURNING i.*)
    SELECT ${columns} FROM counted WHERE state = 'pending'`,
  row: queuedRow,
});

/**
 * Counts for each intent, in its row, what its job has not counted: it waits as a new version, for a job of its own, or
 * is dead. Rows in other hands are left for the next time.
 * @returns those that wait, as they are now
 */
export function countEnded(sql: Sql, ended: readonly EndedIntent[]): Promise<QueuedIntent[]> {
  return sql.rows(count, [
    ended.map(({ intentId }) => intentId),
    ended.map(({ version }) => version),
    ended.map(({ attempts }) => attempts),
    ended.map(({ limit }) => limit),
    ended.map(({ reason }) => reason.slice(0, 1_000)),
  ]);
}

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

const claim = statement({
  name: "intent-claim",
  text: `SELECT realm_id AS "realmId", payload FROM job_intent
    WHERE id = $1 AND version = $2 AND state = 'pending' FOR NO KEY UPDATE`,
  row: { realmId: column.int.orNull(), payload: column.json<unknown>() },
});

/** How long a claim waits, in milliseconds: a stamp takes no longer. */
const claimTimeoutMs = 2_000;

/** Another transaction has the intent, and keeps it: its job has to come again. */
export class IntentBusy extends Error {
  override readonly name = "IntentBusy";
}

/**
 * Takes an intent for this transaction; undefined when it is done, dead or replayed since. Somebody who has just
 * published it may be stamping it: that is awaited. What the transaction does and {@link finishIntent} commit together:
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
  if (!row) return undefined;
  const { realmId, payload } = row;
  if (realmId === null)
    throw new Error(`the intent ${intentId} belongs to no organization, and its work is one's`);
  return { id: intentId, realmId, payload: definition.intent.parse(payload) };
}

/** SQLSTATE of a lock that was not had in time. */
const lockNotAvailable = "55P03";

const finish = statement({
  name: "intent-finish",
  text: `UPDATE job_intent SET state = 'done', finished_at = now(), attempts = attempts + 1, last_error = NULL
    WHERE id = $1`,
  row: {},
});

/** Notes that the work is done. */
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
  row: {},
});

/**
 * Writes a failure into the row; `dead` ends it until an operator replays it. Else its job goes back to the queue, and
 * has been heard of.
 */
export async function failIntent(
  sql: Sql,
  { intentId, version }: IntentRef,
  failure: { reason: string; dead: boolean },
): Promise<void> {
  await sql.rows(fail, [intentId, version, failure.reason.slice(0, 1_000), failure.dead]);
}
