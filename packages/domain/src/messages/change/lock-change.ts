import { bounds, errors, type PropagateMode } from "@carillon/contract";
import { ChangedMeanwhile, statement, type Tx } from "@carillon/db";
import {
  type AccessibleMessage,
  type Account,
  checkChangeable,
  currentActor,
  findChannel,
  hasProtectedHistory,
  lockMessageAndReceivers,
  requireMessage,
} from "@carillon/model";

import { lockChannelsAndAudiences, type LockedChannels } from "../removal/locked-channels.ts";
import {
  type CheckedChange,
  type StoredText,
  targetId,
  type WantedChange,
} from "./check-change.ts";

/** A message to change, and the messages that move with it, locked by the transaction. */
export interface LockedChange {
  readonly actor: Account;
  readonly message: AccessibleMessage;
  /** The locked channels and their readers if the message may move; else undefined. */
  readonly lockedChannels: LockedChannels | undefined;
  /** The ids of the message and those that move with it, ascending. */
  readonly ids: readonly number[];
}

/** Whether the request may move the message. */
export function asksToMove(
  { channelId }: Pick<AccessibleMessage, "channelId">,
  wanted: WantedChange,
): boolean {
  return channelId !== null && (wanted.topic !== undefined || wanted.channelId !== undefined);
}

/**
 * Locks the message and its audience until the transaction ends.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export async function lockContent(tx: Tx, account: Account, id: number): Promise<LockedChange> {
  const { actor, message } = await lockMessageAndReceivers(tx, account, id);
  return { actor, message, lockedChannels: undefined, ids: [id] };
}

/**
 * Locks a message that may be moved, both channels and all messages that move with it. The channel lock serializes
 * moves within a channel, so the messages of the topic are final once it is held.
 * @param seen the message as read before locking
 * @param blockSends whether sending to the channels is blocked meanwhile, see `removal`
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 * @throws ChangedMeanwhile if the message was moved or removed while waiting for its channel
 */
export async function lockMove(
  tx: Tx,
  account: Account,
  seen: AccessibleMessage,
  wanted: WantedChange,
  blockSends: boolean,
): Promise<LockedChange> {
  const { id, channelId } = seen;
  if (channelId === null) throw new Error("direct messages cannot be moved");
  const target = targetId(wanted);
  // Lock only channels that the account can see.
  const visible =
    target !== undefined &&
    (await findChannel(tx, account, target, { access: "metadata", archived: true }));
  const channelIds = [...new Set([channelId, ...(visible ? [visible.id] : [])])];
  const lockedChannels = await lockChannelsAndAudiences(
    tx,
    account.realmId,
    channelIds,
    blockSends,
  );
  const actor = await currentActor(tx, account);
  const message = await requireMessage(tx, actor, id);
  if (message.channelId !== channelId) throw new ChangedMeanwhile(`message ${id} was moved`);
  checkChangeable(message);
  const ids = await lockMessages(tx, actor, message, wanted.propagateMode);
  if (!ids.includes(id)) throw new ChangedMeanwhile(`message ${id} was removed`);
  return { actor, message, lockedChannels, ids };
}

const lock = statement({
  name: "messages-to-move",
  text: `SELECT m.id FROM messages m
    WHERE m.recipient_id = $1 AND m.is_channel AND lower(m.topic) = lower($2) AND m.id BETWEEN $3 AND $4
      AND ($5::int IS NULL OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $5 AND um.message_id = m.id))
    ORDER BY m.id LIMIT $6 FOR NO KEY UPDATE OF m`,
});

/**
 * Locks this message and the messages of the topic that move with it; in a channel with protected history only messages
 * that the account has received.
 * @throws ApiError `BAD_REQUEST` if they are more than `bounds.movedMessages`
 */
async function lockMessages(
  tx: Tx,
  actor: Account,
  { id, recipientId, topic, channel }: AccessibleMessage,
  mode: PropagateMode,
): Promise<number[]> {
  const from = mode === "change_all" ? 0 : id;
  const to = mode === "change_one" ? id : Number.MAX_SAFE_INTEGER;
  const receiver = channel && hasProtectedHistory(channel) ? actor.id : null;
  const most = bounds.movedMessages;
  const values = [recipientId, topic, from, to, receiver, most + 1];
  const rows = await tx.lock({ name: "messages" }, lock, values);
  if (rows.length > most)
    throw errors.badRequest(
      `At most ${most} messages can be moved at once: move the newer ones first, with propagate_mode change_later`,
    );
  return rows.map((row) => row.id);
}

export interface ChangeToApply extends CheckedChange {
  readonly stored: StoredText | undefined;
  readonly wanted: WantedChange;
}
