import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { inSlices, nextSlice } from "@carillon/kit";
import type { NumberedMessage, OutgoingMessage, Realm } from "@carillon/model";

import { loadReceivers, type Receivers } from "./audience.ts";
import { messageEvent } from "./message-event.ts";
import { loadReceiverFlags, type ReceiverFlags } from "./receiver-flags.ts";
import { copyValues, messageValues } from "./store-messages.ts";
import { loadUnseen } from "./unseen.ts";

/** Who gets each of some messages, and how. */
export interface Receiving {
  readonly receivers: readonly Receivers[];
  readonly flags: readonly ReceiverFlags[];
  /** By the place of the message: who does not see its sender. */
  readonly unseen: ReadonlyMap<number, readonly number[]>;
}

export async function loadReceiving(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<Receiving> {
  const [receivers, flags, unseen] = await Promise.all([
    loadReceivers(tx, outgoing),
    loadReceiverFlags(tx, realm.id, outgoing),
    loadUnseen(tx, realm, outgoing),
  ]);
  return { receivers, flags, unseen };
}

/** What is written of messages, as their statements take it, and their events. */
export interface MadeMessages {
  readonly rows: readonly unknown[];
  readonly copies: readonly unknown[];
  readonly events: readonly NewEvent[];
}

/** Makes all of it before any is written; others have their turn every few milliseconds. */
export async function makeMessages(
  realm: Realm,
  numbered: readonly NumberedMessage[],
  receiving: Receiving,
): Promise<MadeMessages> {
  const rows = await messageValues(realm.id, numbered);
  await nextSlice();
  const copies = copyValues(numbered, receiving);
  return { rows, copies, events: await messageEvents(realm, numbered, receiving) };
}

/** The events of the messages, as JSON too. */
export function messageEvents(
  realm: Realm,
  numbered: readonly NumberedMessage[],
  receiving: Receiving,
): Promise<NewEvent[]> {
  return inSlices([...numbered.keys()], (place) => {
    const event = eventOf(realm, numbered, receiving, place);
    event.write();
    return event;
  });
}

function eventOf(
  realm: Realm,
  numbered: readonly NumberedMessage[],
  { receivers, flags, unseen }: Receiving,
  place: number,
): NewEvent {
  return messageEvent(
    realm,
    numbered[place]!,
    receivers[place]!.audience,
    flags[place]!,
    unseen.get(place),
  );
}
