import { type Account, lockToldMessage } from "@carillon/model";
import { errors, reactionRemoved } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { emojiNamed } from "./emoji.ts";
import { reactionTold } from "./reaction-told.ts";

/** An emoji as a request names it: by its code, or else by its name. */
export interface NamedReaction {
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly type: string;
}

/**
 * Takes an emoji of the account's own off a message (messages.md §6.5), whether there is still such an emoji or not.
 * @throws ApiError `BAD_REQUEST`, `REACTION_DOES_NOT_EXIST`, `UNAUTHORIZED`
 */
export async function removeReaction(
  tx: Tx,
  account: Account,
  messageId: number,
  named: NamedReaction,
): Promise<void> {
  const { actor, message } = await lockToldMessage(tx, account, messageId);
  const [type, code] = [named.type, codeOf(named)];
  const removed = await tx.first(remove, [messageId, actor.id, type, code]);
  if (!removed) throw errors.reactionDoesNotExist();
  const told = await reactionTold(tx, actor, message, { type, code, name: removed.name });
  emit(tx, actor.realmId, [reactionRemoved(...told)]);
}

/** @throws ApiError `BAD_REQUEST` */
function codeOf({ name, code }: NamedReaction): string {
  if (code !== undefined) return code;
  if (name === undefined) throw errors.badRequest("Send emoji_name or emoji_code");
  return emojiNamed(name).code;
}

const remove = statement({
  name: "reaction-remove",
  text: `DELETE FROM reactions WHERE message_id = $1 AND user_id = $2 AND reaction_type = $3 AND emoji_code = $4
    RETURNING emoji_name AS name`,
  row: { name: column.text },
});
