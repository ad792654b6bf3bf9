import {
  type AccessibleMessage,
  type Account,
  loadMessageAudience,
  notSeeingAmong,
} from "@carillon/model";
import type { LoggedFields, reactionAdded } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { Emoji } from "./emoji.ts";

/** What is told of a reaction, and to whom (events.md §4): for its declaration. */
export async function reactionTold(
  tx: Tx,
  actor: Account,
  message: AccessibleMessage,
  { type, code, name }: Emoji,
) {
  const audience = await loadMessageAudience(tx, message);
  // Who writes with somebody sees them.
  const unseen = message.channelId === null ? [] : [...(await notSeeingAmong(tx, actor, audience))];
  const fields: LoggedFields<typeof reactionAdded> = {
    message_id: message.id,
    user_id: actor.id,
    emoji_name: name,
    emoji_code: code,
    reaction_type: type,
    reactor: { email: actor.email, full_name: actor.fullName },
  };
  const userData = Object.fromEntries(unseen.map((id) => [id, { unseen_reactor: true } as const]));
  return [fields, unseen.length > 0 ? { audience, userData } : { audience }] as const;
}
