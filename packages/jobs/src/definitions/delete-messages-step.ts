import * as z from "zod";
import { job } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z.strictObject({
  /** A row of `message_deletion_jobs`. */
  deletionId: z.int().positive(),
  /** A row of `message_deletion_steps`. */
  step: z.int().positive(),
  /** Counts the jobs of the step, so that each has its own id. */
  job: z.int().positive(),
});

export type DeletionStepRef = z.infer<typeof payload>;

/** Attempts continue for about a day. There may be hundreds of these jobs, so each yields to all others. */
export const deleteMessagesStep = job({
  name: "delete-messages-step",
  queue: "maintenance",
  about:
    "Deletes one step of the messages of a deactivated account, in batches, each in its own transaction.",
  payload,
  key: ({ deletionId, step, job: number }) =>
    `delete-messages-step-${deletionId}-${step}-${number}`,
  retry: backoff({ attempts: 390, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
  yields: true,
});
