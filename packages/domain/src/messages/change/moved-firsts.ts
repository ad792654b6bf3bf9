import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { newFirsts, storeFirsts, type NewFirst } from "../removal/first-messages.ts";
import type { Places } from "../removal/places.ts";
import type { Move } from "./check-move.ts";

/** The channels with the first messages that they have by now, and what is told of these. */
export interface MovedFirsts {
  readonly places: Places;
  readonly events: readonly NewEvent[];
}

/**
 * Brings the first messages of both channels up to date, once messages have gone from one to the other (channels.md §1).
 * @throws SendersInTheWay see `removal`
 */
export async function moveFirsts(
  tx: Tx,
  realmId: number,
  places: Places,
  { to }: Move,
  ids: readonly number[],
): Promise<MovedFirsts> {
  const firsts = [...(await newFirsts(tx, places, ids, [])), ...firstOfTarget(places, to, ids)];
  const channels = new Map(places.channels);
  for (const [recipientId, channel] of places.channels) {
    const first = firsts.find((one) => one.channel.id === channel.id);
    if (first) channels.set(recipientId, { ...channel, firstMessageId: first.messageId });
  }
  return { places: { ...places, channels }, events: await storeFirsts(tx, realmId, firsts) };
}

function firstOfTarget(
  { channels }: Places,
  { channel: { recipientId } }: Move["to"],
  [oldest]: readonly number[],
): NewFirst[] {
  const channel = channels.get(recipientId);
  if (!channel || oldest === undefined) return [];
  const { firstMessageId } = channel;
  return firstMessageId !== null && firstMessageId < oldest ? [] : [{ channel, messageId: oldest }];
}
