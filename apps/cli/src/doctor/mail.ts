import type { Environment } from "@carillon/kit";
import { chooseMailer } from "@carillon/mail";

import { mailTrouble } from "../mail-trouble.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/** Whether the mail server answers, takes TLS as it is configured, and knows the user. No mail is sent. */
export async function examineMail(env: Environment): Promise<Finding[]> {
  if (env.SMTP_URL === undefined)
    return [warning("mail", "SMTP_URL is not set: mail is files in DATA_DIR/mail")];
  const { host } = new URL(env.SMTP_URL);
  try {
    await chooseMailer(env).verify();
    return [ok("mail", `${host} answers and takes mail (carillon mail test ADDRESS sends one)`)];
  } catch (error) {
    return [failed("mail", mailTrouble(host, error))];
  }
}
