import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { inSlices, nextSlice } from "@carillon/kit";
import type { NumberedMessage, OutgoingMessage, Realm } from "@carillon/model";

import { loadReceivers, type Receivers } from "./audience.ts";
import { messageEvent } from "./message-event.ts";
import { loadReceiverFlags, type ReceiverFlags } from "./receiver-flags.ts";
import { type CopyInsertion, copyInsertion, messageValues } from "./store-messages.ts";
import { loadUnseen } from "./unseen.ts";

/** Receivers of messages and the flags of their copies. */
export interface Receiving {
  readonly receivers: readonly Receivers[];
  readonly flags: readonly ReceiverFlags[];
  /** Receivers who cannot see the sender, by the message's index. */
  readonly unseen: ReadonlyMap<number, readonly number[]>;
}

/** Loads the receivers of messages, the flags of their copies, and the receivers that cannot see the sender. */
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

/** Values of the statements that write messages, and their events. */
export interface MadeMessages {
  readonly rows: readonly unknown[];
  readonly copies: CopyInsertion;
  readonly events: readonly NewEvent[];
}

/** Makes all values and events before the first is written, in slices of a few milliseconds. */
export async function makeMessages(
  realm: Realm,
  numbered: readonly NumberedMessage[],
  receiving: Receiving,
): Promise<MadeMessages> {
  const rows = await messageValues(realm.id, numbered);
  await nextSlice();
  const copies = copyInsertion(numbered, receiving.receivers, receiving.flags);
  return { rows, copies, events: await messageEvents(realm, numbered, receiving) };
}

/** Makes the events of the messages, serialised as JSON. */
export function messageEvents(
  realm: Realm,
  numbered: readonly NumberedMessage[],
  receiving: Receiving,
): Promise<NewEvent[]> {
  return inSlices([...numbered.keys()], (index) => {
    const event = eventOf(realm, numbered, receiving, index);
    event.write();
    return event;
  });
}

function eventOf(
  realm: Realm,
  numbered: readonly NumberedMessage[],
  { receivers, flags, unseen }: Receiving,
  index: number,
): NewEvent {
  return messageEvent(
    realm,
    numbered[index]!,
    receivers[index]!.audience,
    flags[index]!,
    unseen.get(index),
  );
}
