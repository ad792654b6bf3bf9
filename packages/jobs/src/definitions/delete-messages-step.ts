import { z } from "zod";
import { job } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z.strictObject({
  /** Of `message_deletion_jobs`. */
  deletionId: z.int().positive(),
  /** Of `message_deletion_steps`. */
  step: z.int().positive(),
  /** The how-manieth job that the step has been given: each has an id of its own. */
  job: z.int().positive(),
});

export type DeletionStepRef = z.infer<typeof payload>;

/** Its attempts go on for about a day. Nobody waits for it, and there may be hundreds: it goes after all others. */
export const deleteMessagesStep = job({
  name: "delete-messages-step",
  queue: "maintenance",
  about:
    "Deletes one step of the messages of an account that was deactivated, in batches of which each is a transaction.",
  payload,
  key: ({ deletionId, step, job: number }) =>
    `delete-messages-step-${deletionId}-${step}-${number}`,
  retry: backoff({ attempts: 390, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
  yields: true,
});
