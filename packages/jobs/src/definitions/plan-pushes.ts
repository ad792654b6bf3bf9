import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const id = z.int().positive();

const intent = z.strictObject({
  /** Ids of new messages, ascending, for which some receivers may have a device. */
  messages: z
    .array(
      z.strictObject({
        id,
        /** Ids of users mentioned by name. */
        users: z.array(id).optional(),
        /** Ids of the user groups that the message mentions. */
        groups: z.array(id).optional(),
        /** The message mentions everyone in its topic or channel. */
        everybody: z.literal(true).optional(),
      }),
    )
    .min(1),
  /** All receivers of the first message up to this id have been processed. */
  after: z.int().nonnegative(),
});

export type PlanPushesIntent = z.infer<typeof intent>;

/** Each run processes one batch of receivers, and records the pushes as other intents in the same transaction. */
export const planPushes = intentJob({
  name: "plan-pushes",
  title: "Push planning",
  queue: "push",
  about:
    "Decides which receivers of new messages get push notifications: for the messages of one transaction, in batches of receivers.",
  intent,
  retry: backoff({ attempts: 40, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
