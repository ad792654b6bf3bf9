import type { SendMailOptions } from "nodemailer";

import { MailRefused, type Mail } from "./mail.ts";

/**
 * Converts a mail for nodemailer. It cannot make nodemailer read files or URLs, and no text can inject a header.
 * @param from sender address
 * @throws MailRefused, RangeError
 */
export function composed(
  { id, to, senderName, subject, text, unsubscribeUrl }: Mail,
  from: string,
) {
  // nodemailer would split a list of addresses.
  if (!/^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()\\,;"@]+$/u.test(to))
    throw new MailRefused("invalid recipient address");
  if (!/^[\w.-]+$/.test(id)) throw new RangeError(`"${id}" cannot name a mail`);
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    messageId: `<${id}@${domain}>`,
    from: { name: oneLine(senderName), address: from },
    to: { name: "", address: to },
    envelope: { from, to: [to] },
    subject: oneLine(subject),
    text,
    // Suppresses automatic replies (RFC 3834).
    headers: {
      "Auto-Submitted": "auto-generated",
      ...(unsubscribeUrl === undefined
        ? {}
        : {
            "List-Unsubscribe": `<${new URL(unsubscribeUrl).href}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** Returns the sender address: `MAIL_FROM`, else `noreply@` the host of `PUBLIC_URL`. */
export function senderAddress(given: string | undefined, siteUrl: string): string {
  return given ?? `noreply@${new URL(siteUrl).hostname}`;
}
