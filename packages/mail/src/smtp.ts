import { whenNeeded } from "@carillon/kit";

import { composed } from "./compose.ts";
import { MailRefused, type TestableMailer } from "./mail.ts";

/**
 * Mail by SMTP, one connection a mail. A server that does not answer is given up after ten seconds, or after twenty in
 * the middle of a mail.
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
 * What the server says of the mail, or of its receiver, for good: an answer from 500 on. What it says of us, our
 * credentials for one, an operator mends.
 */
function refusal(error: unknown): MailRefused | undefined {
  if (!(error instanceof Error && "code" in error && "responseCode" in error)) return undefined;
  const { code, responseCode, message } = error;
  const isOfMail = code === "EENVELOPE" || code === "EMESSAGE";
  return isOfMail && typeof responseCode === "number" && responseCode >= 500
    ? new MailRefused(message, { cause: error })
    : undefined;
}
