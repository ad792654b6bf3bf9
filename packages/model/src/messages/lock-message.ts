import { errors } from "@carillon/contract";
import { ChangedMeanwhile, statement, type Tx } from "@carillon/db";

import { holdAudiences } from "../channels/audience-lock.ts";
import { holdGroupGraph } from "../permissions/lock-groups.ts";
import type { Account } from "../users/account.ts";
import { currentActor } from "../users/lock-account.ts";
import { type AccessibleMessage, requireMessage } from "./access.ts";

/** A message that an operation is about, and who acts, both as they are by now. */
export interface HeldMessage<Place = unknown> {
  readonly actor: Account;
  readonly message: AccessibleMessage;
  /** What locking its place gave. */
  readonly place: Place;
}

const lock = statement({
  name: "message-for-change",
  text: "SELECT FROM messages WHERE realm_id = $1 AND id = $2 FOR NO KEY UPDATE",
  row: {},
});

/**
 * Keeps who can see a message as it is until the transaction ends: for what others are told of it. That the message stays
 * is for {@link lockMessage} to see to. An archived channel counts as none: nothing may be changed there (messages.md §6).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 * @throws ChangedMeanwhile where it was moved while its channel was waited for
 */
export function holdMessage(tx: Tx, account: Account, id: number): Promise<HeldMessage> {
  return hold(tx, account, id, (channelIds) => holdAudiences(tx, channelIds));
}

/** The same, and nobody else changes the message: for an action that changes it. */
export function lockMessage(tx: Tx, account: Account, id: number): Promise<HeldMessage> {
  return lockMessageAfter(tx, account, id, (channelIds) => holdAudiences(tx, channelIds));
}

/**
 * The same, and nobody comes, goes or changes groups: for an action that tells of a change to those who have the
 * message, whom their groups may let read it.
 */
export function lockToldMessage(tx: Tx, account: Account, id: number): Promise<HeldMessage> {
  return lockMessageAfter(tx, account, id, (channelIds) =>
    Promise.all([holdGroupGraph(tx, account.realmId), holdAudiences(tx, channelIds)]),
  );
}

/**
 * The same for an action that needs other locks of the message's channel than its audience.
 * @param lockPlace takes them; gets the channel's id, or none for a direct message
 */
export function lockMessageAfter<Place>(
  tx: Tx,
  account: Account,
  id: number,
  lockPlace: (channelIds: readonly number[]) => Promise<Place>,
): Promise<HeldMessage<Place>> {
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
): Promise<HeldMessage<Place>> {
  // Nobody waits for the locks of a message that they do not see.
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
 * An archived channel counts as none: nothing may be changed there (messages.md §6).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkChangeable({ channel }: Pick<AccessibleMessage, "channel">): void {
  if (channel?.isArchived)
    throw errors.badRequest("The message is in an archived channel, where nothing can be changed");
}
