import {
  bounds,
  errors,
  type LoggedFields,
  reactionAdded,
  reactionRemoved,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type AccessibleMessage,
  type Account,
  flag,
  loadMessageAudience,
  lockMessageAndReceivers,
  notSeeingAmong,
} from "@carillon/model";

import { type AskedEmoji, closestEmoji, type Emoji, findEmoji } from "../emoji/find-emoji.ts";
import { writeCopies } from "./flags/change-flag.ts";

/**
 * Adds a reaction to a message that the account can see (messages.md §6.5). If the account has no copy of the message,
 * it gets a historical one.
 * @throws ApiError `BAD_REQUEST`, `REACTION_ALREADY_EXISTS`, `UNAUTHORIZED`
 */
export async function addReaction(
  tx: Tx,
  account: Account,
  messageId: number,
  asked: AskedEmoji,
): Promise<void> {
  const { actor, message } = await lockMessageAndReceivers(tx, account, messageId);
  const emoji = await reactionOf(tx, actor, messageId, asked);
  const { historical, read } = flag;
  await Promise.all([
    tx.rows(store, [messageId, actor.id, emoji.type, emoji.code, emoji.name]),
    message.flags === null
      ? writeCopies(tx, actor.id, [messageId], { set: 0, clear: 0 }, read | historical)
      : undefined,
  ]);
  const parts = await reactionEventParts(tx, actor, message, emoji);
  emit(tx, actor.realmId, [reactionAdded(...parts)]);
}

const existing = statement({
  name: "reactions-there",
  // `name`: The name in the first reaction with this emoji; null if there is none.
  // `own`: Number of reactions of the account to the message.
  // `same`: Whether the account already has this reaction.
  text: `SELECT (SELECT r.emoji_name FROM reactions r
        WHERE r.message_id = $1 AND r.reaction_type = $3 AND r.emoji_code = $4 ORDER BY r.id LIMIT 1) AS name,
      count(*)::int AS own,
      coalesce(bool_or(r.reaction_type = $3 AND r.emoji_code = $4), false) AS same
    FROM reactions r WHERE r.message_id = $1 AND r.user_id = $2`,
});

/**
 * Returns the requested emoji. If others have already reacted with it, the name of the first reaction is kept, even if
 * the emoji has been renamed since.
 * @throws ApiError `BAD_REQUEST`, `REACTION_ALREADY_EXISTS`
 */
async function reactionOf(
  tx: Tx,
  { id: userId, realmId }: Account,
  messageId: number,
  asked: AskedEmoji,
): Promise<Emoji> {
  const { name, code, type } = asked;
  const isComplete = code !== undefined && type !== undefined;
  const known = isComplete ? undefined : await closestEmoji(tx, realmId, asked);
  const emoji = { name, code: code ?? known?.code ?? "", type: type ?? known?.type ?? "" };
  const found = await tx.first(existing, [messageId, userId, emoji.type, emoji.code]);
  if (!found) throw new Error("statement returned no row");
  if (found.same) throw errors.reactionAlreadyExists();
  // An emoji that is already among the message's reactions may have been removed from the organization.
  const isKnown = known?.code === emoji.code && known.type === emoji.type;
  if (found.name === null && !isKnown) await findEmoji(tx, realmId, emoji);
  if (found.own >= bounds.reactions)
    throw errors.badRequest(
      `You have ${bounds.reactions} reactions to this message: remove one before you add another`,
    );
  return { ...emoji, name: found.name ?? name };
}

const store = statement({
  name: "reaction-store",
  text: `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) VALUES ($1, $2, $3, $4, $5)`,
});

/** An emoji as a request names it: by its code, or by its name if there is no code. */
interface NamedReaction {
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly type: string;
}

/**
 * Removes one of the account's reactions from a message (messages.md §6.5), even if the emoji no longer exists.
 * @throws ApiError `BAD_REQUEST`, `REACTION_DOES_NOT_EXIST`, `UNAUTHORIZED`
 */
export async function removeReaction(
  tx: Tx,
  account: Account,
  messageId: number,
  named: NamedReaction,
): Promise<void> {
  const { actor, message } = await lockMessageAndReceivers(tx, account, messageId);
  const { type } = named;
  const code = await codeOf(tx, actor, messageId, named);
  const removed = await tx.first(remove, [messageId, actor.id, type, code]);
  if (!removed) throw errors.reactionDoesNotExist();
  const parts = await reactionEventParts(tx, actor, message, { type, code, name: removed.name });
  emit(tx, actor.realmId, [reactionRemoved(...parts)]);
}

/**
 * Returns the code of the emoji whose reaction is removed. If several custom emoji have had the name, returns the code in
 * the account's reaction.
 * @throws ApiError `BAD_REQUEST` if neither a code nor a known name is given
 */
async function codeOf(
  tx: Tx,
  actor: Account,
  messageId: number,
  { name, code, type }: NamedReaction,
): Promise<string> {
  if (code !== undefined) return code;
  if (name === undefined) throw errors.badRequest("Send emoji_name or emoji_code");
  const given = await tx.first(ownByName, [messageId, actor.id, type, name]);
  return given?.code ?? (await closestEmoji(tx, actor.realmId, { name, code, type })).code;
}

const ownByName = statement({
  name: "own-reaction-by-name",
  text: `SELECT emoji_code AS code FROM reactions
    WHERE message_id = $1 AND user_id = $2 AND reaction_type = $3 AND emoji_name = $4 ORDER BY id LIMIT 1`,
});

const remove = statement({
  name: "reaction-remove",
  text: `DELETE FROM reactions WHERE message_id = $1 AND user_id = $2 AND reaction_type = $3 AND emoji_code = $4
    RETURNING emoji_name AS name`,
});

/** Returns the payload and audience of a reaction's event (events.md §4). */
async function reactionEventParts(
  tx: Tx,
  actor: Account,
  message: AccessibleMessage,
  { type, code, name }: Emoji,
) {
  const audience = await loadMessageAudience(tx, message);
  // Participants of a conversation always see each other.
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
