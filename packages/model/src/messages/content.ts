import { errors } from "@carillon/contract";
import { cutTo } from "@carillon/kit";

import type { Realm } from "../realms.ts";
import type { Account } from "../users/account.ts";
import type { AccessibleMessage } from "./access.ts";

/** Code points that a message may have (`max_message_length`). */
export const maxMessageLength = 10_000;

const truncationMarker = "\n[message truncated]";

/**
 * The content as it is stored (scheduled-messages.md §0.2): no white space at the end, no newlines at the
 * beginning, cut to the limit.
 * @throws ApiError `BAD_REQUEST` when nothing is left, or for U+0000
 */
export function normaliseContent(raw: string): string {
  const content = raw.trimEnd().replace(/^[\r\n]+/, "");
  if (content === "") throw errors.badRequest("content must not be empty");
  if (content.includes("\u0000")) throw errors.badRequest("content must not contain U+0000");
  return cutContent(content, maxMessageLength);
}

/** The beginning of a content that has more code points than that, with a word about it. */
export function cutContent(content: string, limit: number): string {
  return cutTo(content, limit, truncationMarker);
}

/** Seconds in which the content of a message may be edited (`message_content_edit_limit_seconds`). */
export const contentEditLimit = 600;

/**
 * Whether the account may edit what the message says (messages.md §6.2): nobody edits what another has written.
 * @param buffer seconds for an edit that was begun in time
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
      `The content of a message may be edited for ${contentEditLimit} seconds after it was sent`,
    );
}

/** Seconds in which one may delete a message of one's own (`message_content_delete_limit_seconds`). */
export const contentDeleteLimit = 600;

/**
 * Seconds in which an account that is no moderator may move a message: within its channel
 * (`move_messages_within_stream_limit_seconds`) and to another one (`move_messages_between_streams_limit_seconds`).
 */
export const moveLimit = 604_800;
