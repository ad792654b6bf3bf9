import type { Environment } from "@carillon/kit";
import { chooseMailer } from "@carillon/mail";

import { mailTrouble } from "../mail-trouble.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/** Checks that the mail server answers, with TLS and credentials as configured. Sends no mail. */
export async function examineMail(env: Environment): Promise<Finding[]> {
  if (env.SMTP_URL === undefined)
    return [warning("mail", "SMTP_URL is not set: mail is written to files in DATA_DIR/mail")];
  const { host } = new URL(env.SMTP_URL);
  try {
    await chooseMailer(env).verify();
    return [ok("mail", `${host} answers and accepts mail (test with carillon mail test ADDRESS)`)];
  } catch (error) {
    return [failed("mail", mailTrouble(host, error))];
  }
}
