import { type Sql, statement } from "@carillon/db";
import type { IntentRef } from "@carillon/jobs";

import { queuedColumns, queuedRow, type QueuedIntent } from "./queued-intent.ts";
import { storedReason } from "./stored-reason.ts";

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
    SELECT ${queuedColumns} FROM counted WHERE state = 'pending'`,
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
    ended.map(({ reason }) => storedReason(reason)),
  ]);
}
