import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({ userId: z.int().positive() });

export type EndInvitationsIntent = z.infer<typeof intent>;

/** The request that deactivates or creates an account ends up to 500 links itself; this job ends the others. */
export const endInvitations = intentJob({
  name: "end-invitations",
  title: "Ending invitations",
  queue: "maintenance",
  about:
    "Ends the links that a deactivated account has made, and those for the address of a new account, in steps. None of them can be used even before that.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
