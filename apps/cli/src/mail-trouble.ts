/** What to tell an operator of a mail server that does not do as it should. */
export function mailTrouble(host: string, error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return `SMTP_URL: ${host}: ${message}${hints[code ?? ""] ?? ""}`;
}

/** By the codes of nodemailer. */
const hints: Readonly<Record<string, string>> = {
  ECONNECTION: " (is the port right, and may this machine reach it?)",
  ESOCKET: " (is the port right, and does it speak the TLS that smtp:// or smtps:// says?)",
  EDNS: " (there is no such host)",
  ETIMEDOUT: " (it did not answer in time: is the port right, and smtp:// or smtps://?)",
  ETLS: " (it does not take TLS)",
  EAUTH: " (user and password of SMTP_URL)",
  EENVELOPE: " (may this user send from MAIL_FROM?)",
};
