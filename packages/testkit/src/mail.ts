import type { Mail, Mailer } from "@carillon/mail";

/** A mailer that keeps what it is given: for tests of what a mail says, not of how it goes out. */
export function keepingMailer(kept: Mail[] = []): Mailer {
  return {
    about: "kept by a test",
    async send(mail) {
      kept.push(mail);
    },
  };
}
