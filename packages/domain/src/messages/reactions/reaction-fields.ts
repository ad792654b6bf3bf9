import type { LoggedFields, reactionAdded } from "@carillon/contract";

import type { Emoji } from "./emoji.ts";

/** What events say of a reaction (events.md §4). */
export function reactionFields(
  messageId: number,
  userId: number,
  { type, code, name }: Emoji,
): LoggedFields<typeof reactionAdded> {
  return {
    message_id: messageId,
    user_id: userId,
    emoji_name: name,
    emoji_code: code,
    reaction_type: type,
  };
}
