import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const id = z.int().positive();

const intent = z.strictObject({
  removals: z.array(z.strictObject({ userId: id, messageIds: z.array(id).min(1) })).min(1),
});

export type RemovePushesIntent = z.infer<typeof intent>;

export const removePushes = intentJob({
  name: "remove-pushes",
  title: "Removal of notifications",
  queue: "bouncer",
  about:
    "Removes notifications of read or deleted messages from the devices of accounts, by one call of the push bouncer.",
  intent,
  retry: backoff({ attempts: 36, first: "5s", cap: "5m", jitter: 0.5 }),
  deadline: "25s",
});
