import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({ userId: z.int().positive() });

/** Makes the copies for which the requests of a person who comes back had no time. */
export const makeCopies = intentJob({
  name: "make-copies",
  title: "Copies after an absence",
  queue: "maintenance",
  about: "Makes the copies of messages that were sent while a person was away, step by step.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
