import { type Sql, statement } from "@carillon/db";

import { queuedColumns, queuedRow, type QueuedIntent } from "./queued-intent.ts";

const unqueued = statement({
  name: "unqueued-intents",
  text: `SELECT ${queuedColumns} FROM job_intent
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
