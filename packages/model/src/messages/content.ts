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

/** Seconds in which a message's content may be edited (`message_content_edit_limit_seconds`). */
export const contentEditLimit = 600;

/**
 * Checks that the account may edit a message's content (messages.md §6.2): only the sender may.
 * @param buffer grace period in seconds for an edit that began in time
 * @throws ApiError `BAD_REQUEST`
 */
export function checkContentEditable(
  { id }: Pick<Account, "id">,
  { senderId, sentAt }: Pick<AccessibleMessage, "senderId" | "sentAt">,
  { now }: Pick<Realm, "now">,
  buffer: number,
): void {
  if (senderId !== id) throw errors.badRequest("You may not edit the content of this message");
  if (now - sentAt > contentEditLimit + buffer)
    throw errors.badRequest(
      `You can edit the content of a message only within ${contentEditLimit} seconds of sending`,
    );
}

/** Seconds in which an account may delete its own message (`message_content_delete_limit_seconds`). */
export const contentDeleteLimit = 600;

/**
 * Seconds in which an account below moderator may move a message: within its channel
 * (`move_messages_within_stream_limit_seconds`) and to another one (`move_messages_between_streams_limit_seconds`).
 */
export const moveLimit = 604_800;
