import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const id = z.int().positive();

const intent = z.strictObject({
  /** New messages, ascending, some of whose receivers may have a device. */
  messages: z
    .array(
      z.strictObject({
        id,
        /** Whom it mentions by name. */
        users: z.array(id).optional(),
        /** User groups that it mentions. */
        groups: z.array(id).optional(),
        /** It calls everybody of its topic or channel. */
        everybody: z.literal(true).optional(),
      }),
    )
    .min(1),
  /** The receiver of the first message up to whom all have been looked at. */
  after: z.int().nonnegative(),
});

export type PlanPushesIntent = z.infer<typeof intent>;

/** Each of its runs looks at a batch of receivers; what is to be sent is in other intents, in the same transaction. */
export const planPushes = intentJob({
  name: "plan-pushes",
  title: "Push planning",
  queue: "push",
  about:
    "Finds out to whom new messages are pushed: of one transaction's messages, in batches of receivers.",
  intent,
  retry: backoff({ attempts: 40, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
