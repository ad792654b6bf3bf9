import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({
  /** Everything unless given. */
  channelId: z.int().positive().optional(),
  /** Of the channel's topics only the one with this digest. */
  topicDigest: z.hex().optional(),
  /** The last message that it concerns: what came since stays unread. */
  upTo: z.int().nonnegative(),
  /** The place in the organization's log behind which messages with lower ids stay unread, too; no matter unless given. */
  toldUntil: z.int().nonnegative().optional(),
  /** Whose messages they are, and how far what they have not read has been looked through. */
  readers: z
    .array(z.strictObject({ userId: z.int().positive(), after: z.int().nonnegative() }))
    .min(1),
});

export type MarkReadIntent = z.infer<typeof intent>;

/** What is unread of a channel that one has left would never be read; and one request marks no more than it can at once. */
export const markRead = intentJob({
  name: "mark-read",
  title: "Marking as read",
  queue: "maintenance",
  about:
    "Marks messages read, step by step: those of a channel for accounts that have been unsubscribed from it, and what one request leaves of those that an account wants marked.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
