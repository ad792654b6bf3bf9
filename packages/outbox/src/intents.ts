import { firstCodePoints } from "@carillon/kit";

/**
 * Selected from `job_intent`, or from rows with its columns. `behind`: the payload's field of that name, which is the
 * number of jobs of the same account that waited when the intent was recorded.
 */
export const queuedColumns = `id AS "intentId", version, job, coalesce((payload->>'behind')::int, 0) AS behind,
  extract(epoch FROM run_at - now())::float8 * 1000 AS "delayMs"`;

/**
 * Returns why work failed as a row may store it: at most 1,000 characters, without U+0000, which PostgreSQL refuses in
 * text. An error may quote foreign input, such as a mail server's reply.
 */
export function storedReason(reason: string): string {
  return firstCodePoints(reason, 1_000).replaceAll("\0", "\ufffd");
}
