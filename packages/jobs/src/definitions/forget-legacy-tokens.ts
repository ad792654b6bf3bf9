import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

export const forgetLegacyTokens = intentJob({
  name: "forget-legacy-tokens",
  title: "Removal of old push tokens",
  queue: "maintenance",
  about:
    "Removes the push tokens of the older kind that an account stored before its API key changed.",
  intent: z.strictObject({
    userId: z.int().positive(),
    /** The last token that was stored before the key changed. */
    upTo: z.int().positive(),
  }),
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
