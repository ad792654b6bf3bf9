import { errors, maxInvitees } from "@carillon/contract";
import { checkFullName } from "@carillon/model";

import type { Invitee } from "./make-links.ts";

/** Maximum parts of a request, including empty and repeated ones: splitting a megabyte of commas takes 100 ms. */
const maxParts = 100 * maxInvitees;

/**
 * Parses the addresses of a request, which are separated by commas or line feeds, each alone or as `Name <address>`.
 * Removes duplicates, but does not check the addresses.
 * @throws ApiError `BAD_REQUEST` for no address, or too many
 */
export function parseInvitees(text: string): Invitee[] {
  const invitees = new Map<string, Invitee>();
  const parts = text.split(/[,\n]/, maxParts + 1);
  if (parts.length > maxParts) throw tooMany();
  for (const part of parts) {
    const trimmed = part.trim();
    if (trimmed === "") continue;
    const invitee = parseInvitee(trimmed);
    const key = invitee.email.toLowerCase();
    if (!invitees.has(key)) invitees.set(key, invitee);
    if (invitees.size > maxInvitees) throw tooMany();
  }
  if (invitees.size === 0)
    throw errors.badRequest("invitee_emails must have at least one e-mail address");
  return [...invitees.values()];
}

function tooMany() {
  return errors.badRequest(
    `invitee_emails must not have more than ${maxInvitees} addresses in one request`,
  );
}

function parseInvitee(text: string): Invitee {
  const start = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  if (start < 0) return { email: text, fullName: null };
  return { email: text.slice(start + 1, -1).trim(), fullName: nameOf(text.slice(0, start)) };
}

/** Returns the name that prefills the form; null for one that no account can have, so that the person types another. */
function nameOf(text: string): string | null {
  const name = text.trim().replace(/^"(.*)"$/, "$1");
  try {
    return checkFullName(name);
  } catch {
    return null;
  }
}
