/** Formats an error of a mail server, with a hint for the operator. */
export function mailTrouble(host: string, error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return `SMTP_URL: ${host}: ${message}${hints[code ?? ""] ?? ""}`;
}

/** Hints by nodemailer's error codes. */
const hints: Readonly<Record<string, string>> = {
  ECONNECTION: " (is the port right, and may this machine reach it?)",
  ESOCKET: " (is the port right, and does it match smtp:// or smtps://?)",
  EDNS: " (unknown host)",
  ETIMEDOUT: " (it did not answer in time: is the port right, and smtp:// or smtps://?)",
  ETLS: " (it does not support TLS)",
  EAUTH: " (check user and password in SMTP_URL)",
  EENVELOPE: " (may this user send from MAIL_FROM?)",
};
