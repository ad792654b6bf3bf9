import { notNull, type RowOf, type Sql, statement } from "@carillon/db";
import type { IntentRef } from "@carillon/jobs";

import { queuedColumns, storedReason } from "./intents.ts";
import type { QueuedIntent } from "./record-intents.ts";

/**
 * Statements of the relay and the sweep, which add the jobs that a process did not add after its commit, or that the
 * queue lost.
 */

const unqueued = statement({
  name: "unqueued-intents",
  text: `SELECT ${queuedColumns} FROM job_intent
    WHERE state = 'pending' AND enqueued_at IS NULL
      AND created_at <= now() - make_interval(secs => $1 / 1000.0) AND job = ANY($3::text[])
    ORDER BY created_at LIMIT $2`,
});

/**
 * Reads pending intents without a job in the queue, oldest first. Leaves out intents younger than `olderThanMs`, because
 * the process that recorded them is about to add their jobs.
 * @param limits `jobs`: names of the jobs that the caller knows; jobs of a newer release are left to its processes
 */
export function unqueuedIntents(
  sql: Sql,
  limits: { jobs: readonly string[]; olderThanMs: number; limit: number },
): Promise<QueuedIntent[]> {
  return sql.rows(unqueued, [limits.olderThanMs, limits.limit, limits.jobs]);
}

const stamp = statement({
  name: "intents-stamp",
  text: `WITH free AS (
      SELECT i.id FROM unnest($1::bigint[], $2::int[]) AS q (id, version)
      JOIN job_intent i ON i.id = q.id AND i.version = q.version
      WHERE i.state = 'pending' FOR NO KEY UPDATE OF i SKIP LOCKED)
    UPDATE job_intent i SET enqueued_at = now() FROM free WHERE i.id = free.id`,
});

/**
 * Marks the intents as enqueued. Locked rows are skipped: they are being worked on, or stamped by another process in
 * another order, and waiting for them could deadlock.
 */
export async function stampIntents(sql: Sql, intents: readonly IntentRef[]): Promise<void> {
  if (intents.length === 0) return;
  await sql.rows(stamp, [
    intents.map(({ intentId }) => intentId),
    intents.map(({ version }) => version),
  ]);
}

const forget = statement({
  name: "forget-enqueued-intents",
  text: "UPDATE job_intent SET enqueued_at = NULL WHERE state = 'pending' AND enqueued_at IS NOT NULL",
});

/** Marks all pending intents as not enqueued, so that the relay adds their jobs to queues that are new or empty. */
export async function forgetIntentJobs(sql: Sql): Promise<void> {
  await sql.rows(forget);
}

const overdue = statement({
  name: "overdue-intents",
  // `quietMs`: Milliseconds since its job was last known to be in the queue, or should have run.
  text: `SELECT ${queuedColumns}, extract(epoch FROM now() - greatest(enqueued_at, run_at))::float8 * 1000 AS "quietMs"
    FROM job_intent
    WHERE state = 'pending' AND enqueued_at IS NOT NULL AND job = ANY($3::text[])
      AND greatest(enqueued_at, run_at) <= now() - make_interval(secs => $1 / 1000.0)
    ORDER BY greatest(enqueued_at, run_at) LIMIT $2`,
});

/** An intent whose job was added to the queue, or failed again, a while ago. */
export type OverdueIntent = RowOf<typeof overdue>;

/**
 * Reads pending intents that were enqueued and should have run more than `overdueMs` ago, longest overdue first. Only
 * the queue knows whether their jobs are lost.
 */
export function overdueIntents(
  sql: Sql,
  limits: { jobs: readonly string[]; overdueMs: number; limit: number },
): Promise<OverdueIntent[]> {
  return sql.rows(overdue, [limits.overdueMs, limits.limit, limits.jobs]);
}

const resume = statement({
  name: "intents-resume",
  text: `WITH active AS (
      SELECT i.id FROM job_intent i JOIN realms r ON r.id = i.realm_id AND NOT r.deactivated
      WHERE i.state = 'pending' AND i.enqueued_at = 'infinity' ORDER BY i.id LIMIT $1 FOR NO KEY UPDATE OF i SKIP LOCKED
    ), resumed AS (
      UPDATE job_intent i SET enqueued_at = NULL, version = i.version + 1 FROM active WHERE i.id = active.id RETURNING i.*)
    SELECT ${queuedColumns} FROM resumed`,
  overrides: { delayMs: notNull },
});

/**
 * Gives new versions, which need new jobs, to intents that waited because their organization was deactivated and that may
 * run now.
 * @param limit maximum number
 */
export function resumeSuspended(sql: Sql, limit: number): Promise<QueuedIntent[]> {
  return sql.rows(resume, [limit]);
}

const pendingOf = statement({
  name: "intents-still-pending",
  text: `SELECT i.id FROM job_intent i JOIN unnest($1::bigint[], $2::int[]) AS q (id, version) USING (id, version)
    WHERE i.state = 'pending'`,
});

/** Reads the ids of the given intents that are still pending as this version. */
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

/** An intent whose job ended permanently without updating its row. */
export interface EndedIntent extends IntentRef {
  /** Attempts of the job that the row does not count yet. */
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
    SELECT ${queuedColumns} FROM counted WHERE state = 'pending'`,
  overrides: { delayMs: notNull },
});

/**
 * Counts the attempts of ended jobs in their rows. An intent that reached its limit becomes a dead letter; any other gets
 * a new version, which needs a new job. Locked rows are left for the next run.
 * @returns the intents with a new version
 */
export function countEnded(sql: Sql, ended: readonly EndedIntent[]): Promise<QueuedIntent[]> {
  return sql.rows(count, [
    ended.map(({ intentId }) => intentId),
    ended.map(({ version }) => version),
    ended.map(({ attempts }) => attempts),
    ended.map(({ limit }) => limit),
    ended.map(({ reason }) => storedReason(reason)),
  ]);
}
