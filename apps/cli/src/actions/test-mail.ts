import { publicUrl, StartupError, uniqueId } from "@carillon/kit";
import { chooseMailer } from "@carillon/mail";

import type { Context } from "../context.ts";
import { environmentOf } from "../installation.ts";
import { mailTrouble } from "../mail-trouble.ts";

/** Sends one mail, as a worker would. @throws StartupError with what the mail server said */
export async function sendTestMail(context: Context, address: string): Promise<void> {
  const env = environmentOf(context);
  const mailer = chooseMailer(env);
  const host = env.SMTP_URL === undefined ? "mail" : new URL(env.SMTP_URL).host;
  await mailer
    .send({
      id: `test-${uniqueId()}`,
      to: address,
      senderName: "Carillon",
      subject: "A test mail from Carillon",
      text: `This mail was sent by "carillon mail test" for ${publicUrl(env)}.\nIf you can read it, outgoing mail works.\n`,
    })
    .catch((error: unknown) => {
      throw new StartupError(mailTrouble(host, error));
    });
  context.terminal.say(
    env.SMTP_URL === undefined
      ? `SMTP_URL is not set: the mail to ${address} was written, ${mailer.about}.`
      : `${host} has accepted a mail to ${address}. Check that it arrives.`,
  );
}
