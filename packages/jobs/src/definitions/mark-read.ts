import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({
  channelId: z.int().positive(),
  /**
   * The last message that the unsubscription concerns: an account that is subscribed again by then keeps what came
   * since.
   */
  upTo: z.int().nonnegative(),
  /** Who has been unsubscribed, and how far their unread messages have been looked through. */
  readers: z
    .array(z.strictObject({ userId: z.int().positive(), after: z.int().nonnegative() }))
    .min(1),
});

export type MarkReadIntent = z.infer<typeof intent>;

/** What is unread of a channel that one has left would never be read. */
export const markRead = intentJob({
  name: "mark-read",
  queue: "maintenance",
  about:
    "Marks the messages of a channel read for those who have been unsubscribed from it, step by step.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
