import * as z from "zod";
import { job, jobId, type Publication } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z.strictObject({
  /** The row of `outgoing_call`. */
  callId: z.int().positive(),
  /** Rises when an operator replays the call. */
  version: z.int().positive(),
  /** Number of attempts before the job was added, so that its id is new after each attempt. */
  calls: z.int().nonnegative(),
});

export type CallWebhook = z.infer<typeof payload>;

/**
 * BullMQ repeats the job only if the database fails. After a failure of the endpoint, the row has the time of the next
 * attempt, and another job is added for that time. A call that outlasts the deadline continues without its job, and its row
 * stays claimed.
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

/** A row of `outgoing_call` that needs a job. */
export interface WaitingCall extends CallWebhook {
  /** Milliseconds from now; at once unless given. */
  readonly delayMs?: number;
}

/**
 * Returns the job of a waiting call.
 * @param reason makes the id different from that of a running job, which may have looked at the row too early; adding its id
 *   again would do nothing
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
