import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({
  /** The row of `message_deletion_jobs`: the account, which of its messages, and the last message. */
  deletionId: z.int().positive(),
});

/**
 * Only failures of the infrastructure use up attempts, which continue for a day. With pauses of at most a minute the
 * sweep soon detects a job that stopped.
 */
export const deleteMessages = intentJob({
  name: "delete-messages",
  title: "Deletion of messages",
  queue: "maintenance",
  about:
    "Deletes the messages of a deactivated account: splits them into steps, waits for the jobs of the steps, " +
    "and checks whether any messages are left.",
  intent,
  retry: backoff({ attempts: 1_900, first: "1s", cap: "1m", jitter: 0.5 }),
  deadline: "20s",
});
