import { type Account, flag, lockToldMessage } from "@carillon/model";
import { bounds, errors, reactionAdded } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { writeCopies } from "../flags/write-copies.ts";
import { checkEmoji, type Emoji, emojiNamed } from "./emoji.ts";
import { reactionTold } from "./reaction-told.ts";

/** An emoji as a request names it; what is left out is what the name stands for. */
export interface AskedEmoji {
  readonly name: string;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

/**
 * Puts an emoji on a message that the account sees (messages.md §6.5). Who has no copy of it gets a historical one.
 * @throws ApiError `BAD_REQUEST`, `REACTION_ALREADY_EXISTS`, `UNAUTHORIZED`
 */
export async function addReaction(
  tx: Tx,
  account: Account,
  messageId: number,
  asked: AskedEmoji,
): Promise<void> {
  const { actor, message } = await lockToldMessage(tx, account, messageId);
  const emoji = await reactionOf(tx, actor.id, messageId, asked);
  const { historical, read } = flag;
  await Promise.all([
    tx.rows(store, [messageId, actor.id, emoji.type, emoji.code, emoji.name]),
    message.flags === null
      ? writeCopies(tx, actor.id, [messageId], { set: 0, clear: 0 }, read | historical)
      : undefined,
  ]);
  const told = await reactionTold(tx, actor, message, emoji);
  emit(tx, actor.realmId, [reactionAdded(...told)]);
}

const there = statement({
  name: "reactions-there",
  text: `SELECT (SELECT r.emoji_name FROM reactions r
        WHERE r.message_id = $1 AND r.reaction_type = $3 AND r.emoji_code = $4 ORDER BY r.id LIMIT 1) AS name,
      count(*)::int AS own,
      coalesce(bool_or(r.reaction_type = $3 AND r.emoji_code = $4), false) AS same
    FROM reactions r WHERE r.message_id = $1 AND r.user_id = $2`,
  row: {
    /** Of the first who put it there, null where nobody has. */
    name: column.text.orNull(),
    /** How many emoji the account has on the message. */
    own: column.int,
    /** Whether this is one of them. */
    same: column.bool,
  },
});

/**
 * The emoji that the request means, with the name that it has on the message already: who joins in need not know what it
 * is called now.
 * @throws ApiError `BAD_REQUEST`, `REACTION_ALREADY_EXISTS`
 */
async function reactionOf(
  tx: Tx,
  userId: number,
  messageId: number,
  { name, code, type }: AskedEmoji,
): Promise<Emoji> {
  const emoji =
    code === undefined || type === undefined
      ? {
          ...emojiNamed(name),
          ...(code === undefined ? {} : { code }),
          ...(type === undefined ? {} : { type }),
        }
      : { name, code, type };
  const found = await tx.first(there, [messageId, userId, emoji.type, emoji.code]);
  if (!found) throw new Error("a statement without a row");
  if (found.same) throw errors.reactionAlreadyExists();
  if (found.name === null) checkEmoji(emoji);
  if (found.own >= bounds.reactions)
    throw errors.badRequest(
      `You have ${bounds.reactions} reactions to this message: remove one before you add another`,
    );
  return { ...emoji, name: found.name ?? name };
}

const store = statement({
  name: "reaction-store",
  text: `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) VALUES ($1, $2, $3, $4, $5)`,
  row: {},
});
