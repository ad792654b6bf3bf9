import { errors } from "@carillon/contract";
import { cutTo } from "@carillon/kit";

import type { Realm } from "../realms.ts";
import type { Account } from "../users/account.ts";
import type { AccessibleMessage } from "./access.ts";

/** Maximum code points of a message (`max_message_length`). */
export const maxMessageLength = 10_000;

const truncationMarker = "\n[message truncated]";

/**
 * Normalises a content for storage (scheduled-messages.md §0.2): trims white space at the end and newlines at the
 * beginning, and truncates it to the limit.
 * @throws ApiError `BAD_REQUEST` if nothing is left, and for U+0000
 */
export function normaliseContent(raw: string): string {
  const content = raw.trimEnd().replace(/^[\r\n]+/, "");
  if (content === "") throw errors.badRequest("content must not be empty");
  if (content.includes("\u0000")) throw errors.badRequest("content must not contain U+0000");
  return cutContent(content, maxMessageLength);
}

/** Truncates a content to the limit of code points, with a marker at the end. */
export function cutContent(content: string, limit: number): string {
  return cutTo(content, limit, truncationMarker);
}

/**
 * Checks that the account may edit a message's content (messages.md §6.2): only the sender may.
 * @param buffer grace period in seconds for an edit that began in time
 * @throws ApiError `BAD_REQUEST`
 */
export function checkContentEditable(
  { id }: Pick<Account, "id">,
  { senderId, sentAt }: Pick<AccessibleMessage, "senderId" | "sentAt">,
  { now, allowMessageEditing, contentEditLimit: limit }: EditRules,
  buffer: number,
): void {
  if (senderId !== id) throw errors.badRequest("You may not edit the content of this message");
  if (!allowMessageEditing)
    throw errors.badRequest("The organization does not allow to edit the content of messages");
  if (isPast(now - sentAt, limit, buffer))
    throw errors.badRequest(
      `You can edit the content of a message only within ${limit} seconds of sending`,
    );
}

type EditRules = Pick<Realm, "now" | "allowMessageEditing" | "contentEditLimit">;

/**
 * Whether the time for a change of a message is over.
 * @param age of the message, in seconds
 * @param limit in seconds; null for unlimited
 * @param buffer grace period in seconds
 */
export function isPast(age: number, limit: number | null, buffer = 0): boolean {
  return limit !== null && age > limit + buffer;
}
