import { whenNeeded } from "@carillon/kit";

import { composed } from "./compose.ts";
import { MailRefused, type TestableMailer } from "./mail.ts";

/**
 * Creates a mailer over SMTP, with one connection for each mail. Times out after ten seconds, or twenty in the middle of a
 * mail.
 * @param url `SMTP_URL`, with the credentials
 */
export function smtpMailer(url: string, from: string): TestableMailer {
  const transport = whenNeeded(async () => {
    const { createTransport } = await import("./nodemailer.ts");
    return createTransport({
      url,
      dnsTimeout: 10_000,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
    });
  });
  return {
    about: `by SMTP, from ${from}`,
    async verify() {
      const open = await transport();
      await open.verify();
    },
    async send(mail) {
      const whole = composed(mail, from);
      const open = await transport();
      await open.sendMail(whole).catch((error: unknown) => {
        throw refusal(error) ?? error;
      });
    },
  };
}

/**
 * Returns a MailRefused for a permanent refusal (5xx) of the mail or its recipient. Errors about us, such as wrong
 * credentials, are for the operator to fix and stay temporary.
 */
function refusal(error: unknown): MailRefused | undefined {
  if (!(error instanceof Error && "code" in error && "responseCode" in error)) return undefined;
  const { code, responseCode, message } = error;
  const isOfMail = code === "EENVELOPE" || code === "EMESSAGE";
  return isOfMail && typeof responseCode === "number" && responseCode >= 500
    ? new MailRefused(message, { cause: error })
    : undefined;
}
