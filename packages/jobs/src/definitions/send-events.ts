import * as z from "zod";
import { job, jobId, type Publication } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z.strictObject({
  /** The row of `event_subscription`. */
  subscriptionId: z.int().positive(),
  /** Number of calls made before the job was added, so that its id is new after each call. */
  calls: z.int().nonnegative(),
});

export type SendEvents = z.infer<typeof payload>;

/**
 * BullMQ repeats the job only if the database fails. After a failure of the endpoint, the row has the time of the next
 * attempt, and another job is added for that time. A call that outlasts the deadline continues without its job, and its row
 * stays claimed.
 */
export const sendEvents = job({
  name: "send-events",
  queue: "outgoing",
  about:
    "Sends the events after the cursor of a subscription to its URL, in batches, one after the other. Does nothing while another call of the subscription is in progress, or while the organization or the endpoint has too many.",
  payload,
  key: ({ subscriptionId, calls }) => `send-events-${subscriptionId}-c${calls}`,
  retry: backoff({ attempts: 5, first: "1s", cap: "30s", jitter: 0.5 }),
  deadline: "25s",
});

/**
 * Returns the job that sends the events of a subscription.
 * @param reason makes the id different from that of a running job, which may have looked at the row too early; adding its
 *   id again would do nothing
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
