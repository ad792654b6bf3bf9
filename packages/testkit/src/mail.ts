import type { Mail, Mailer } from "@carillon/mail";

/** Creates a mailer that records mails, for tests of their content. */
export function keepingMailer(kept: Mail[] = []): Mailer {
  return {
    about: "kept by a test",
    async send(mail) {
      kept.push(mail);
    },
  };
}
