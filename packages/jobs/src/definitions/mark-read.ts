import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({
  /** The channel whose messages are marked; all messages unless given. */
  channelId: z.int().positive().optional(),
  /** The digest of the only topic of the channel whose messages are marked; all topics unless given. */
  topicDigest: z.hex().optional(),
  /** The last message to be marked: later messages stay unread. */
  upTo: z.int().nonnegative(),
  /**
   * A position in the organization's event log: messages with lower ids whose events come after it stay unread, too. The
   * name is kept because jobs of other releases have it.
   */
  toldUntil: z.int().nonnegative().optional(),
  /** The accounts, and the message up to which the unread messages of each have been processed. */
  readers: z
    .array(z.strictObject({ userId: z.int().positive(), after: z.int().nonnegative() }))
    .min(1),
});

export type MarkReadIntent = z.infer<typeof intent>;

/**
 * After an account has left a channel, it could never mark the channel's messages as read. A request marks a limited
 * number itself; this job marks the rest.
 */
export const markRead = intentJob({
  name: "mark-read",
  title: "Marking as read",
  queue: "maintenance",
  about:
    "Marks messages as read, step by step: those of a channel for accounts that were unsubscribed from it, and those that a request did not finish.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
