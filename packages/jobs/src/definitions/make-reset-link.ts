import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({ requestId: z.int().positive() });

/** A visitor has requested a password reset. A job looks the account up, so that the answer reveals nothing about it. */
export const makeResetLink = intentJob({
  name: "make-reset-link",
  title: "Password reset",
  queue: "push",
  about:
    "Looks whether the address of a requested password reset has an account, and records the mail.",
  intent,
  retry: backoff({ attempts: 20, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
