import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  loadFolding,
  loadPostingChannels,
  type OutgoingMessage,
} from "@carillon/model";

import type { Places } from "../removal/places.ts";
import { removeMessages } from "../removal/remove-messages.ts";
import { sendMessages } from "../send/send.ts";
import type { ChangeToApply } from "./apply-change.ts";
import { changesChannel, type Move } from "./check-move.ts";
import type { HeldChange } from "./lock-change.ts";
import { moveNotices, type Telling } from "./move-notices.ts";
import { moveFirsts } from "./moved-firsts.ts";
import { movePolicies } from "./moved-policies.ts";
import { resolveNotice } from "./resolve-notice.ts";
import { isLeft } from "./topics-concerned.ts";

interface HeldMove extends HeldChange {
  readonly places: Places;
}

interface MadeMove extends ChangeToApply {
  readonly move: Move;
  /** Whether the topic that the messages have come to had some before. */
  readonly merges: boolean;
  /** The organization's own, which tells of it. */
  readonly bot: Account;
  /** A notice that goes instead of being answered. */
  readonly takenBack: number | undefined;
}

/** What else follows once messages have moved: the channels' first messages, what people want of topics, notices. */
export async function afterMove(
  tx: Tx,
  held: HeldMove,
  { realm, move, merges, wanted, bot, takenBack }: MadeMove,
): Promise<NewEvent[]> {
  const { actor, message, ids, places } = held;
  const isOther = changesChannel(move);
  const firsts = isOther
    ? await moveFirsts(tx, realm.id, places, move, ids)
    : { places: places, events: [] };
  const telling = { realm, actor, bot };
  const gone =
    takenBack === undefined ? [] : await takeBack(tx, telling, move, firsts.places, takenBack);
  const { fold } = await loadFolding(tx, [move.from.topic, move.to.topic]);
  const sameName = !isOther && fold(move.from.topic) === fold(move.to.topic);
  const whole = sameName || !(await isLeft(tx, actor.id, message.recipientId, move));
  const allowed = places.readers.get(move.to.channel.id);
  const reading = allowed && new Set(allowed);
  const policies =
    !sameName && (whole || wanted.propagateMode === "change_all")
      ? await movePolicies(tx, move, merges, (id) => !reading || reading.has(id))
      : [];
  const moved = { move, count: ids.length, whole };
  const loaded = await loadPostingChannels(tx, realm.id, [move.from.channel.id], []);
  const source = loaded.get(move.from.channel.id);
  if (!source) throw new Error("a channel that is locked is gone");
  const notices = await moveNotices(tx, telling, moved, { source, places: places }, wanted);
  const toggled = takenBack === undefined ? await toggleNotices(tx, telling, move) : [];
  const sent = await sendMessages(tx, realm, [...notices, ...toggled]);
  return [...firsts.events, ...gone, ...policies, ...sent.events];
}

async function toggleNotices(tx: Tx, telling: Telling, move: Move): Promise<OutgoingMessage[]> {
  const { toggle } = move;
  return toggle ? [await resolveNotice(tx, telling, { ...move, toggle })] : [];
}

/** Takes back what was told just now of a topic that has its mark again, or has lost it again. */
async function takeBack(
  tx: Tx,
  { realm, actor }: Telling,
  { to }: Move,
  places: Places,
  id: number,
): Promise<readonly NewEvent[]> {
  const run = {
    realmId: realm.id,
    channelId: to.channel.id,
    cause: "taken-back",
    actorId: actor.id,
  } as const;
  return (await removeMessages(tx, run, places, [id])).events;
}
