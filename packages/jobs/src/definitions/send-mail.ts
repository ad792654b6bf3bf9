import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.discriminatedUnion("kind", [
  /**
   * An administrator has deactivated the account and wants to notify its user; the audit log entry holds the comment.
   */
  z.strictObject({ kind: z.literal("account-deactivated"), auditId: z.int().positive() }),
  /** A user wants to change their e-mail address and has to confirm the new one. */
  z.strictObject({ kind: z.literal("address-change"), changeId: z.int().positive() }),
  /** The organization has been deactivated, and this owner must be notified. */
  z.strictObject({
    kind: z.literal("organization-deactivated"),
    userId: z.int().positive(),
    /** Null for an operator of the server. */
    actorId: z.int().positive().nullable(),
  }),
  /** A link with which the owner of an address can join; `number` counts its mails. */
  z.strictObject({
    kind: z.literal("invitation"),
    invitationId: z.int().positive(),
    number: z.int().positive(),
  }),
  /** A person has signed in at the identity provider; the audit log entry holds the time. */
  z.strictObject({ kind: z.literal("signed-in"), auditId: z.int().positive() }),
  /** An account was linked to an identity at the provider. */
  z.strictObject({ kind: z.literal("identity-linked"), linkId: z.int().positive() }),
  /** Somebody has asked for a new password of the account. */
  z.strictObject({ kind: z.literal("password-reset"), resetId: z.int().positive() }),
  /** The password was reset by a link; the audit log entry says whether the API key was replaced too. */
  z.strictObject({ kind: z.literal("password-changed"), auditId: z.int().positive() }),
]);

export type MailIntent = z.infer<typeof intent>;

/** Attempts continue for about a day: mail servers may be unavailable for hours. */
export const sendMail = intentJob({
  name: "send-mail",
  title: "Mail",
  queue: "push",
  about: "Sends one mail: to the server of `SMTP_URL`, else into the folder `DATA_DIR/mail`.",
  intent,
  retry: backoff({ attempts: 70, first: "10s", cap: "30m", jitter: 0.5 }),
  deadline: "25s",
  runsInDeactivated: ({ kind }) => kind === "organization-deactivated",
});
