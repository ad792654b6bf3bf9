import { errors } from "@carillon/contract";
import { ChangedMeanwhile, statement, type Tx } from "@carillon/db";

import { lockAudiencesShared } from "../channels/audience-lock.ts";
import { lockGroupGraphShared } from "../permissions/lock-groups.ts";
import type { Account } from "../users/account.ts";
import { currentActor } from "../users/lock-account.ts";
import { type AccessibleMessage, requireMessage } from "./access.ts";

/** A locked message and the actor, both in their current state. */
export interface LockedMessage<Place = unknown> {
  readonly actor: Account;
  readonly message: AccessibleMessage;
  /** Result of locking its place. */
  readonly place: Place;
}

const lock = statement({
  name: "message-for-change",
  text: "SELECT FROM messages WHERE realm_id = $1 AND id = $2 FOR NO KEY UPDATE",
});

/**
 * Locks the audience of a message until the transaction ends, for events about it. The message itself may change: use
 * {@link lockMessageAndReceivers} to prevent that. Rejects messages in archived channels, which cannot be changed
 * (messages.md §6).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 * @throws ChangedMeanwhile if it was moved while waiting for its channel
 */
export function lockMessageAudience(tx: Tx, account: Account, id: number): Promise<LockedMessage> {
  return hold(tx, account, id, (channelIds) => lockAudiencesShared(tx, channelIds));
}

/**
 * Locks the message, its audience and the group graph: for an action with an event for the message's receivers, who may
 * read it through groups.
 */
export function lockMessageAndReceivers(
  tx: Tx,
  account: Account,
  id: number,
): Promise<LockedMessage> {
  return lockMessageAfter(tx, account, id, (channelIds) =>
    Promise.all([lockGroupGraphShared(tx, account.realmId), lockAudiencesShared(tx, channelIds)]),
  );
}

/**
 * Locks the message, for an action that needs other locks on its channel than the audience lock.
 * @param lockPlace takes these locks; receives the channel's id, or an empty array for a direct message
 */
export function lockMessageAfter<Place>(
  tx: Tx,
  account: Account,
  id: number,
  lockPlace: (channelIds: readonly number[]) => Promise<Place>,
): Promise<LockedMessage<Place>> {
  return hold(tx, account, id, async (channelIds) => {
    const [place] = await Promise.all([
      lockPlace(channelIds),
      tx.lock({ name: "messages", keys: [id] }, lock, [account.realmId, id]),
    ]);
    return place;
  });
}

async function hold<Place>(
  tx: Tx,
  account: Account,
  id: number,
  takeLocks: (channelIds: readonly number[]) => Promise<Place>,
): Promise<LockedMessage<Place>> {
  // Lock only messages that the account can see.
  const { channelId } = await requireMessage(tx, account, id);
  const [place, actor] = await Promise.all([
    takeLocks(channelId === null ? [] : [channelId]),
    currentActor(tx, account),
  ]);
  const message = await requireMessage(tx, actor, id);
  if (message.channelId !== channelId) throw new ChangedMeanwhile(`message ${id} was moved`);
  checkChangeable(message);
  return { actor, message, place };
}

/**
 * Checks that the message is not in an archived channel, where nothing may be changed (messages.md §6).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkChangeable({ channel }: Pick<AccessibleMessage, "channel">): void {
  if (channel?.isArchived)
    throw errors.badRequest("The message is in an archived channel, where nothing can be changed");
}
