import type { NewEvent } from "@carillon/contract";
import { ChangedMeanwhile, type Tx } from "@carillon/db";
import { loadMessageAudience, loadPostingChannels } from "@carillon/model";

import { lossEvents } from "../removal/removal-events.ts";
import type { CheckedChange } from "./check-change.ts";
import { changesChannel, type Move } from "./check-move.ts";
import { rewriteFlags } from "./copy-flags.ts";
import type { HeldChange } from "./lock-change.ts";
import { moveCopies } from "./moved-copies.ts";
import { loadReceivers, type ToldAlike } from "./receivers.ts";
import { storeMove, storeText } from "./store-change.ts";
import type { StoredText } from "./stored-text.ts";
import { afterMove } from "./after-move.ts";
import { noticeToTakeBack } from "./resolve-notice.ts";
import { systemBot } from "../send/notice.ts";
import { isBegun } from "./topics-concerned.ts";
import { updateEvents } from "./update-events.ts";
import type { WantedChange } from "./wanted-change.ts";

export interface ChangeToApply extends CheckedChange {
  readonly stored: StoredText | undefined;
  readonly wanted: WantedChange;
}

/**
 * Makes a change that was let through, with everything that follows from it. The number of statements depends neither on
 * that of the messages nor on that of the people.
 * @returns what is told, in order
 */
export async function applyChange(
  tx: Tx,
  held: HeldChange,
  change: ChangeToApply,
): Promise<NewEvent[]> {
  const { actor, message, ids, places } = held;
  const { text, move, wanted } = change;
  if (!text && !move) return [];
  if (move && !places?.channels.has(move.to.channel.recipientId))
    throw new ChangedMeanwhile(`channel ${move.to.channel.id} came into sight`);
  const receivers =
    move && places
      ? await loadReceivers(tx, held, places, move)
      : [{ ids, told: await loadMessageAudience(tx, message), losing: [] }];
  const merges = move !== undefined && (await isBegun(tx, move));
  if (move) await storeMove(tx, actor, ids, move);
  const bot = move && (await systemBot(tx, actor.realmId, "notification"));
  const takenBack = bot && move.toggle ? await noticeToTakeBack(tx, bot, move) : undefined;
  if (text) await storeText(tx, actor, message, text, move);
  if (text) {
    const { channelId } = message;
    const channels = channelId === null ? [] : [channelId];
    const loaded = await loadPostingChannels(tx, actor.realmId, channels, []);
    await rewriteFlags(tx, actor, message, loaded.get(channelId ?? 0), text);
  }
  const copies =
    move && changesChannel(move)
      ? await moveCopies(tx, actor.realmId, move, ids, losingOf(receivers))
      : [];
  const done = { ...change, actorId: actor.id, message, propagateMode: wanted.propagateMode };
  return [
    ...(await updateEvents(tx, done, receivers)),
    ...(move ? losses(move, receivers) : []),
    ...copies,
    ...(bot && places
      ? await afterMove(tx, { ...held, places }, { ...change, move, merges, bot, takenBack })
      : []),
  ];
}

function losingOf(receivers: readonly ToldAlike[]): ReadonlySet<number> {
  return new Set(receivers.flatMap(({ losing }) => losing));
}

function losses({ from }: Move, receivers: readonly ToldAlike[]): NewEvent[] {
  const place = { channelId: from.channel.id, topic: from.topic };
  return receivers.flatMap(({ ids, losing }) => lossEvents(place, ids, losing));
}
