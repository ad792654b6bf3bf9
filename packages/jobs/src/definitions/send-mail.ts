import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.discriminatedUnion("kind", [
  /** An administrator has deactivated the account, and wants it to be told; the line of the audit log has the comment. */
  z.strictObject({ kind: z.literal("account-deactivated"), auditId: z.int().positive() }),
  /** Somebody wants another e-mail address, and is to confirm that it is theirs. */
  z.strictObject({ kind: z.literal("address-change"), changeId: z.int().positive() }),
]);

export type MailIntent = z.infer<typeof intent>;

/** Attempts go on for about a day: mail servers are away for hours. */
export const sendMail = intentJob({
  name: "send-mail",
  title: "Mail",
  queue: "push",
  about: "Sends one mail: to the server of `SMTP_URL`, else into the folder `DATA_DIR/mail`.",
  intent,
  retry: backoff({ attempts: 70, first: "10s", cap: "30m", jitter: 0.5 }),
  deadline: "25s",
});
