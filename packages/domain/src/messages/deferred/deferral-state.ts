import { type Sql, statement } from "@carillon/db";
import { makeCopies } from "@carillon/jobs";
import { olderProcesses } from "@carillon/scheduling";

/** Maximum messages that are counted. */
const maxCounted = 1_000_000;

const deferred = statement({
  name: "deferred-copies-count",
  text: `SELECT (SELECT count(DISTINCT user_id)::int FROM subscriptions WHERE deferred_after IS NOT NULL) AS people,
      (SELECT count(*)::int FROM (
        SELECT FROM (SELECT channel_id, min(deferred_after) AS after FROM subscriptions WHERE deferred_after IS NOT NULL
          GROUP BY channel_id) c
        JOIN recipients r ON r.channel_id = c.channel_id
        JOIN messages m ON m.recipient_id = r.id AND m.id > c.after
        LIMIT ${maxCounted + 1}) counted) AS messages`,
});

/** Counts only people whose copies are still deferred: a request of the person may have made them instead of the job. */
const late = statement({
  name: "deferred-copies-late",
  text: `SELECT count(DISTINCT payload->>'userId') FILTER (WHERE state = 'pending')::int AS waiting,
      count(DISTINCT payload->>'userId') FILTER (WHERE state = 'dead')::int AS dead
    FROM job_intent i
    WHERE job = $1 AND (state = 'dead' OR state = 'pending' AND created_at < now() - interval '1 hour')
      AND EXISTS (SELECT FROM subscriptions s
        WHERE s.user_id = (i.payload->>'userId')::int AND s.deferred_after IS NOT NULL)`,
});

/** What an operator should know about deferred copies (docs/decisions/083). */
export interface DeferralState {
  /** People with deferred copies. */
  readonly people: number;
  /** Messages that may have deferred copies, counted up to a million. */
  readonly messages: number;
  readonly hasMoreMessages: boolean;
  /** Role, process id and host of each running gateway or worker whose release does not know deferred copies. */
  readonly olderProcesses: readonly string[];
  /** People with deferred copies whose job has been pending for more than an hour. */
  readonly waiting: number;
  /** People with deferred copies whose job has failed for good (a dead letter). */
  readonly dead: number;
}

/** Loads the state of deferred copies in all organizations. */
export async function loadDeferralState(sql: Sql): Promise<DeferralState> {
  const [counted] = await sql.rows(deferred);
  const [jobs] = await sql.rows(late, [makeCopies.name]);
  if (!counted || !jobs) throw new Error("a statement that counts deferred copies returned no row");
  return {
    ...jobs,
    people: counted.people,
    messages: Math.min(counted.messages, maxCounted),
    hasMoreMessages: counted.messages > maxCounted,
    olderProcesses: await olderProcesses(sql, "deferredCopies"),
  };
}
