import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({
  /** Of `message_deletion_jobs`: whose messages, which of them, and up to where. */
  deletionId: z.int().positive(),
});

/**
 * Its attempts are spent by infrastructure only, and go on for a day; with the cap of a minute the sweep soon sees what
 * has ended without a word.
 */
export const deleteMessages = intentJob({
  name: "delete-messages",
  title: "Deletion of messages",
  queue: "maintenance",
  about:
    "Deletes the messages of an account that was deactivated: it cuts them into steps, waits for the jobs of these, " +
    "and looks whether any are left.",
  intent,
  retry: backoff({ attempts: 1_900, first: "1s", cap: "1m", jitter: 0.5 }),
  deadline: "20s",
});
