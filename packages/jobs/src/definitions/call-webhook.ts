import { z } from "zod";
import { job, jobId, type Publication } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z.strictObject({
  /** The row of `outgoing_call`. */
  callId: z.int().positive(),
  /** Rises when an operator replays the call. */
  version: z.int().positive(),
  /** Calls that were made when the job was added: each attempt has a job of its own. */
  calls: z.int().nonnegative(),
});

export type CallWebhook = z.infer<typeof payload>;

/**
 * The retries are for failures of our own database. After a failure of the endpoint, the row gets the time of the next
 * attempt, which has another job. A call that outlasts the deadline goes on without its job: its row says so.
 */
export const callWebhook = job({
  name: "call-webhook",
  queue: "outgoing",
  about:
    "Calls the endpoint of an outgoing webhook bot for a message, unless an earlier call of the conversation is not done or too many calls are in progress, and stores the answer.",
  payload,
  key: ({ callId, version, calls }) => `call-webhook-${callId}-v${version}-c${calls}`,
  retry: backoff({ attempts: 5, first: "1s", cap: "30s", jitter: 0.5 }),
  deadline: "25s",
});

/** A row of `outgoing_call` that is to be looked at. */
export interface WaitingCall extends CallWebhook {
  /** Milliseconds from now; at once unless given. */
  readonly delayMs?: number;
}

/**
 * Returns the job of a waiting call.
 * @param reason what wakes the call, for an id of its own: a job that is running may have looked at the row too early, and
 *   adding its id again would do nothing
 */
export function callJob(
  { callId, version, calls, delayMs = 0 }: WaitingCall,
  reason?: string,
): Publication<CallWebhook> {
  const data = { callId, version, calls };
  const id = jobId(callWebhook, data);
  return {
    job: callWebhook,
    payload: data,
    delayMs,
    ...(reason === undefined ? {} : { id: `${id}-${reason}` }),
  };
}
