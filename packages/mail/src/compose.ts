import type { SendMailOptions } from "nodemailer";

import { MailRefused, type Mail } from "./mail.ts";

/**
 * The mail as nodemailer takes it. Nothing of it may name a file or an address to fetch, and no text reaches another
 * line of the header than its own.
 * @param from address that it comes from
 * @throws MailRefused, RangeError
 */
export function composed({ id, to, senderName, subject, text }: Mail, from: string) {
  // What is more than one address would be read as several.
  if (!/^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()\\,;"@]+$/u.test(to))
    throw new MailRefused("this is no address that mail goes to");
  if (!/^[\w.-]+$/.test(id)) throw new RangeError(`"${id}" cannot name a mail`);
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    messageId: `<${id}@${domain}>`,
    from: { name: oneLine(senderName), address: from },
    to: { name: "", address: to },
    envelope: { from, to: [to] },
    subject: oneLine(subject),
    text,
    // Nobody's absence is answered to a machine (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** The address that mail comes from: `MAIL_FROM`, else one at the host of `PUBLIC_URL`. */
export function senderAddress(given: string | undefined, siteUrl: string): string {
  return given ?? `noreply@${new URL(siteUrl).hostname}`;
}
