import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({ userId: z.int().positive() });

export type EndInvitationsIntent = z.infer<typeof intent>;

/** The request that deactivates or makes an account ends a limited number of links itself; this job ends the others. */
export const endInvitations = intentJob({
  name: "end-invitations",
  title: "Ending invitations",
  queue: "maintenance",
  about:
    "Ends the links that a deactivated account has made, and those for the address of a new account, step by step. None of them works any more in any case.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
