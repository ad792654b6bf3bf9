import { join, resolve } from "node:path";
import { publicUrl, type Environment } from "@carillon/kit";

import { senderAddress } from "./compose.ts";
import { fileMailer } from "./files.ts";
import type { TestableMailer } from "./mail.ts";
import { smtpMailer } from "./smtp.ts";

/** Where the variables say that mail goes: to the server of `SMTP_URL`, else into `DATA_DIR/mail`. */
export function chooseMailer(env: Environment): TestableMailer {
  const from = senderAddress(env.MAIL_FROM, publicUrl(env));
  return env.SMTP_URL === undefined
    ? fileMailer(resolve(join(env.DATA_DIR, "mail")), from)
    : smtpMailer(env.SMTP_URL, from);
}
