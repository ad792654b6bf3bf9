import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

/** Messages of one mail at most; the newest ones. */
export const maxMissed = 100;

const id = z.int().positive();

const intent = z.strictObject({
  userId: id,
  /** Messages that the account has missed, ascending. */
  messageIds: z.array(id).min(1).max(maxMissed),
  /** How many older ones it has missed besides. */
  more: z.int().nonnegative(),
});

export type MissedMailIntent = z.infer<typeof intent>;

/** Attempts continue for about a day, as those of other mails. Yields: a mention of everybody must not delay them. */
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
