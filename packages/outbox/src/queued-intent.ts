import { column, PostCommitTopic, type RowOf } from "@carillon/db";

/** Of the table `job_intent`, or of rows like its. */
export const queuedColumns = `id AS "intentId", version, job,
  extract(epoch FROM run_at - now())::float8 * 1000 AS "delayMs"`;

/** The rows of {@link queuedColumns}. */
export const queuedRow = {
  intentId: column.bigint,
  version: column.int,
  /** Name of the job. */
  job: column.text,
  /** Milliseconds until it may run; 0 or less for now. */
  delayMs: column.float,
};

/** An intent that waits for its job. */
export type QueuedIntent = RowOf<typeof queuedRow>;

/** Published after a commit that recorded intents, or made dead ones pending again. */
export const intentsRecorded = new PostCommitTopic<readonly QueuedIntent[]>("intents recorded");
