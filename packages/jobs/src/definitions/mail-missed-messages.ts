import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

/** Maximum number of messages in one mail, which has the newest ones. */
export const maxMissed = 100;

const id = z.int().positive();

const intent = z.strictObject({
  userId: id,
  /** Messages that the account has missed, ascending. */
  messageIds: z.array(id).min(1).max(maxMissed),
  /** Number of older messages that the account has missed and `messageIds` leaves out. */
  more: z.int().nonnegative(),
});

export type MissedMailIntent = z.infer<typeof intent>;

/**
 * Attempts continue for about a day, as for other mails. The job yields to other jobs of its queue, because a mention of
 * everybody adds very many of these.
 */
export const mailMissedMessages = intentJob({
  name: "mail-missed-messages",
  title: "Mail about missed messages",
  queue: "push",
  about: "Mails one person the messages that they have missed and not read since.",
  intent,
  retry: backoff({ attempts: 70, first: "10s", cap: "30m", jitter: 0.5 }),
  deadline: "25s",
  yields: true,
});
