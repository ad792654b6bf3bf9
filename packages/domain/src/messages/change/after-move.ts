import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  loadFolding,
  loadPostingChannels,
  type OutgoingMessage,
} from "@carillon/model";

import {
  findNewFirstMessages,
  type NewFirstMessage,
  storeFirstMessages,
} from "../removal/first-messages.ts";
import type { LockedChannels } from "../removal/locked-channels.ts";
import { removeMessages } from "../removal/remove-messages.ts";
import { sendMessages } from "../send/send.ts";
import { changesChannel, type Move } from "./check-move.ts";
import type { ChangeToApply, LockedChange } from "./lock-change.ts";
import { moveNotices, type NoticeContext, resolveNotice } from "./move-notices.ts";
import { movePolicies } from "./move-policies.ts";
import { sourceHasMessages } from "./topic-messages.ts";

interface LockedMove extends LockedChange {
  readonly lockedChannels: LockedChannels;
}

interface MadeMove extends ChangeToApply {
  readonly move: Move;
  /** Whether the target topic already had messages. */
  readonly merges: boolean;
  /** The organization's notification bot, which sends the notices. */
  readonly bot: Account;
  /** Id of an earlier notice that is deleted instead of sending another one. */
  readonly undoneNoticeId: number | undefined;
}

/** Applies the consequences of a move: the channels' first messages, the topic visibility policies, the notices. */
export async function afterMove(
  tx: Tx,
  locked: LockedMove,
  { realm, move, merges, wanted, bot, undoneNoticeId }: MadeMove,
): Promise<NewEvent[]> {
  const { actor, message, ids, lockedChannels } = locked;
  const toOtherChannel = changesChannel(move);
  const firsts = toOtherChannel
    ? await moveFirsts(tx, realm.id, lockedChannels, move, ids)
    : { lockedChannels, events: [] };
  const noticeContext = { realm, actor, bot };
  const flagEvents =
    undoneNoticeId === undefined
      ? []
      : await deleteUndoneNotice(tx, noticeContext, move, firsts.lockedChannels, undoneNoticeId);
  const { fold } = await loadFolding(tx, [move.from.topic, move.to.topic]);
  const sameName = !toOtherChannel && fold(move.from.topic) === fold(move.to.topic);
  const whole = sameName || !(await sourceHasMessages(tx, actor.id, message.recipientId, move));
  const allowed = lockedChannels.readers.get(move.to.channel.id);
  const reading = allowed && new Set(allowed);
  const policies =
    !sameName && (whole || wanted.propagateMode === "change_all")
      ? await movePolicies(tx, move, merges, (id) => !reading || reading.has(id))
      : [];
  const moved = { move, count: ids.length, whole };
  const loaded = await loadPostingChannels(tx, realm.id, [move.from.channel.id], []);
  const source = loaded.get(move.from.channel.id);
  if (!source) throw new Error("locked channel not found");
  const notices = await moveNotices(tx, noticeContext, moved, { source, lockedChannels }, wanted);
  const toggled = undoneNoticeId === undefined ? await toggleNotices(tx, noticeContext, move) : [];
  const sent = await sendMessages(tx, realm, [...notices, ...toggled]);
  return [...firsts.events, ...flagEvents, ...policies, ...sent.events];
}

async function toggleNotices(
  tx: Tx,
  noticeContext: NoticeContext,
  move: Move,
): Promise<OutgoingMessage[]> {
  const { toggle } = move;
  return toggle ? [await resolveNotice(tx, noticeContext, { ...move, toggle })] : [];
}

/** Deletes the recent notice of a topic that was resolved or unresolved and is now toggled back. */
async function deleteUndoneNotice(
  tx: Tx,
  { realm, actor }: NoticeContext,
  { to }: Move,
  lockedChannels: LockedChannels,
  id: number,
): Promise<readonly NewEvent[]> {
  const run = {
    realmId: realm.id,
    channelId: to.channel.id,
    cause: "undone-notice",
    actorId: actor.id,
  } as const;
  return (await removeMessages(tx, run, lockedChannels, [id])).events;
}

/** The channels with their new first messages, and the resulting events. */
interface MovedFirsts {
  readonly lockedChannels: LockedChannels;
  readonly events: readonly NewEvent[];
}

/**
 * Updates the first messages of both channels after messages have moved between them (channels.md §1).
 * @throws ConcurrentSends see `runRemoval`
 */
async function moveFirsts(
  tx: Tx,
  realmId: number,
  lockedChannels: LockedChannels,
  { to }: Move,
  ids: readonly number[],
): Promise<MovedFirsts> {
  const firsts = [
    ...(await findNewFirstMessages(tx, lockedChannels, ids, [])),
    ...firstOfTarget(lockedChannels, to, ids),
  ];
  const channels = new Map(lockedChannels.channels);
  for (const [recipientId, channel] of lockedChannels.channels) {
    const first = firsts.find((one) => one.channel.id === channel.id);
    if (first) channels.set(recipientId, { ...channel, firstMessageId: first.messageId });
  }
  return {
    lockedChannels: { ...lockedChannels, channels },
    events: await storeFirstMessages(tx, realmId, firsts),
  };
}

function firstOfTarget(
  { channels }: LockedChannels,
  { channel: { recipientId } }: Move["to"],
  [oldest]: readonly number[],
): NewFirstMessage[] {
  const channel = channels.get(recipientId);
  if (!channel || oldest === undefined) return [];
  const { firstMessageId } = channel;
  return firstMessageId !== null && firstMessageId < oldest ? [] : [{ channel, messageId: oldest }];
}
