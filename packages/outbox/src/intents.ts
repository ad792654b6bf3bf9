import { column, PostCommitTopic, type RowOf } from "@carillon/db";
import { firstCodePoints } from "@carillon/kit";

/** Selected from `job_intent`, or from rows with its columns. */
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

/**
 * Returns why work failed as a row may store it: at most 1,000 characters, without U+0000, which PostgreSQL refuses in
 * text. An error may quote foreign input, such as a mail server's reply.
 */
export function storedReason(reason: string): string {
  return firstCodePoints(reason, 1_000).replaceAll("\0", "\ufffd");
}
