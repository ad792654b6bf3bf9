import type { Account, Channel, OutgoingMessage, PostingChannel, Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";
import {
  type Notice,
  notice,
  type NoticePart,
  paragraph,
  silentUser,
  told,
  topicLink,
} from "@carillon/markdown";

import { composeNotice } from "../send/notice.ts";
import type { Places } from "../removal/places.ts";
import { isOnlyToggle, type Move } from "./check-move.ts";
import type { WantedChange } from "./wanted-change.ts";

/** What was moved, as notices tell it. */
export interface Moved {
  readonly move: Move;
  /** How many messages. */
  readonly count: number;
  /** Whether nothing that the account sees is left of the topic. */
  readonly whole: boolean;
}

/** Who tells, of whom, in which organization. */
export interface Telling {
  readonly realm: Realm;
  readonly bot: Account;
  readonly actor: Account;
}

/**
 * What the notification bot says of messages that were moved, in the topics where that is wanted (messages.md §6.2).
 * A place that not everybody sees who reads the notice is not named there.
 * @param source the channel that the messages were in, as posting needs it
 */
export async function moveNotices(
  tx: Tx,
  { realm, bot, actor }: Telling,
  { move, count, whole }: Moved,
  { source, places }: { readonly source: PostingChannel; readonly places: Places },
  { tellOld, tellNew }: Pick<WantedChange, "tellOld" | "tellNew">,
): Promise<OutgoingMessage[]> {
  if (isOnlyToggle(move) || (!tellOld && !tellNew)) return [];
  const { from, to } = move;
  const named = namer(realm, places);
  const what = told(whole ? "This topic" : count === 1 ? "A message" : `${count} messages`);
  const were = told(whole || count === 1 ? "was" : "were");
  const who = silentUser(actor);
  const say = (channel: PostingChannel, topic: string, said: Notice) =>
    composeNotice(tx, {
      bot,
      target: { kind: "channel", channel },
      topic,
      notice: said,
      readBy: [actor.id],
    });
  const there = named(to, from.channel);
  const moved = whole
    ? paragraph`${what} ${were} moved to ${there} by ${who}.`
    : paragraph`${what} ${were} moved from this topic to ${there} by ${who}.`;
  const arrived = paragraph`${what} ${were} moved here from ${named(from, to.channel)} by ${who}.`;
  return [
    ...(tellOld ? [await say(source, from.topic, notice(moved))] : []),
    ...(tellNew ? [await say(to.channel, to.topic, notice(arrived))] : []),
  ];
}

interface Place {
  readonly channel: Pick<Channel, "id" | "name">;
  readonly topic: string;
}

/** How a place is called where the readers of another channel see it. */
type Namer = (place: Place, readIn: Pick<Channel, "id">) => NoticePart;

function namer({ emptyTopicDisplayName }: Realm, { readers }: Places): Namer {
  return ({ channel, topic }, readIn) =>
    areAmong(readers.get(readIn.id), readers.get(channel.id))
      ? topicLink(channel, topic, emptyTopicDisplayName)
      : told("another channel");
}

/** undefined stands for everybody. */
function areAmong(ids: readonly number[] | undefined, all: readonly number[] | undefined): boolean {
  if (!all || all === ids) return true;
  const set = new Set(all);
  return ids?.every((id) => set.has(id)) ?? false;
}
