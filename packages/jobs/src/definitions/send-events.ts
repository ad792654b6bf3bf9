import { z } from "zod";
import { job, jobId, type Publication } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z.strictObject({
  /** The row of `event_subscription`. */
  subscriptionId: z.int().positive(),
  /** Calls that were made when the job was added: each round has a job of its own. */
  calls: z.int().nonnegative(),
});

export type SendEvents = z.infer<typeof payload>;

/**
 * The retries are for failures of our own database. After a failure of the endpoint, the row gets the time of the next
 * attempt, which has another job. A call that outlasts the deadline goes on without its job: its row says so.
 */
export const sendEvents = job({
  name: "send-events",
  queue: "outgoing",
  about:
    "Sends the events after the cursor of a subscription to its URL, in batches, one after the other, unless another call is under way or too many calls are in progress.",
  payload,
  key: ({ subscriptionId, calls }) => `send-events-${subscriptionId}-c${calls}`,
  retry: backoff({ attempts: 5, first: "1s", cap: "30s", jitter: 0.5 }),
  deadline: "25s",
});

/**
 * Returns the job that serves a subscription.
 * @param reason for an id of its own: a job that is running may have looked at the row too early, and adding its id again
 *   would do nothing
 */
export function eventsJob(
  { subscriptionId, calls, delayMs = 0 }: SendEvents & { readonly delayMs?: number },
  reason?: string,
): Publication<SendEvents> {
  const data = { subscriptionId, calls };
  const id = jobId(sendEvents, data);
  return {
    job: sendEvents,
    payload: data,
    delayMs,
    ...(reason === undefined ? {} : { id: `${id}-${reason}` }),
  };
}
