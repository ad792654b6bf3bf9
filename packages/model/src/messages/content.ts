import { errors } from "@carillon/contract";
import { cutTo } from "@carillon/kit";

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
