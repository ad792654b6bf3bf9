import { join, resolve } from "node:path";
import { publicUrl, type Environment } from "@carillon/kit";

import { senderAddress } from "./compose.ts";
import { fileMailer } from "./files.ts";
import type { TestableMailer } from "./mail.ts";
import { smtpMailer } from "./smtp.ts";

/** Creates the mailer that the variables configure: SMTP to `SMTP_URL`, else files in `DATA_DIR/mail`. */
export function chooseMailer(env: Environment): TestableMailer {
  const from = senderAddress(env.MAIL_FROM, publicUrl(env));
  return env.SMTP_URL === undefined
    ? fileMailer(resolve(join(env.DATA_DIR, "mail")), from)
    : smtpMailer(env.SMTP_URL, from);
}
