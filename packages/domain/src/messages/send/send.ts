import { type NumberedMessage, type OutgoingMessage, type Realm, memberKey } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { recordPushPlan } from "../../notifications/plan-pushes.ts";
import { openConversations } from "../../sight/new-conversations.ts";
import { amongAudience } from "./audience.ts";
import {
  loadReceiving,
  messageEvents,
  type MadeMessages,
  type Receiving,
} from "./make-messages.ts";
import { copyValues, insertCopies, insertMessages, messageValues } from "./store-messages.ts";
import { allocateWidgets, storeWidgets } from "./store-widgets.ts";
import { lockTouchedChannels, touchChannels } from "./touch-channels.ts";
import { raiseVisibility } from "./visibility.ts";

/** A message that has been written. */
export interface SentMessage {
  readonly id: number;
  /** The sender's new policy for the topic, where sending changed it. */
  readonly newVisibilityPolicy?: number;
}

export interface SendResult {
  /** In the order given. */
  readonly sent: readonly SentMessage[];
  /** For the transaction's one `emit`. */
  readonly events: readonly NewEvent[];
}

/**
 * The one way in which messages come into being (scheduled-messages.md §6, effects): rows, everybody's copies with
 * their flags, widgets, topic policies. It works on a whole batch with a fixed number of statements; ids rise in the order given.
 * @throws what PostgreSQL throws where one has been sent before: its scheduled message's id is taken
 */
export async function sendMessages(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<SendResult> {
  return writeMessages(tx, realm, await numberMessages(tx, realm, outgoing));
}

/** Messages with their ids. Nothing of them is written, but the rows of new conversations. */
export interface NumberedMessages {
  readonly numbered: readonly NumberedMessage[];
  /** The events of new conversations. */
  readonly shown: readonly NewEvent[];
  /** Undefined where it can be told only after they are written: who has written in a topic, whom guests see by then. */
  readonly receiving: Receiving | undefined;
}

/** The first half of {@link sendMessages}: gives out the ids, and asks who gets what, so that rows and copies go out together. */
export async function numberMessages(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<NumberedMessages> {
  if (outgoing.length === 0) return { numbered: [], shown: [], receiving: undefined };
  const late = realm.restrictsGuests || outgoing.some(({ rendered }) => rendered.topicWildcard);
  const [{ numbered, shown }, receiving] = await Promise.all([
    number(tx, realm, outgoing),
    late ? undefined : loadReceiving(tx, realm, outgoing),
  ]);
  return { numbered, shown, receiving };
}

/**
 * The second half.
 * @param made where there has been the time to make it beforehand
 */
export async function writeMessages(
  tx: Tx,
  realm: Realm,
  { numbered, shown, receiving: known }: NumberedMessages,
  made?: MadeMessages,
): Promise<SendResult> {
  if (numbered.length === 0) return { sent: [], events: [] };
  const inserting = tx.rows(
    insertMessages,
    made?.rows ?? (await messageValues(realm.id, numbered)),
  );
  const receiving =
    known ?? (await Promise.all([loadReceiving(tx, realm, numbered), inserting]))[0];
  const copying = tx.rows(insertCopies, made?.copies ?? copyValues(numbered, receiving));
  // Where they fail, that is heard of below, after the slices in which the events are made.
  for (const writing of [inserting, copying]) writing.catch(() => {});
  const events = made?.events ?? (await messageEvents(realm, numbered, receiving));
  // Whom a message does not reach, it must not tell of its topic either.
  const heard = numbered.map((message, i) => ({
    ...message,
    mentionedFollowers: amongAudience(receiving.receivers[i]!.audience, message.mentionedFollowers),
  }));
  const pushed = numbered.filter((_, i) => receiving.receivers[i]!.reachable);
  const [visibility, woken] = await Promise.all([
    raiseVisibility(tx, heard),
    touchChannels(tx, realm.id, heard),
    inserting,
    copying,
    storeWidgets(tx, numbered),
    recordPushPlan(tx, realm.id, pushed),
  ]);
  return {
    sent: numbered.map(({ id }, i) => sentMessage(id, visibility.policies[i])),
    events: [...shown, ...woken, ...events, ...visibility.events],
  };
}

function sentMessage(id: number, policy: number | undefined): SentMessage {
  return policy === undefined ? { id } : { id, newVisibilityPolicy: policy };
}

const allocate = statement({
  name: "message-ids",
  text: `SELECT nextval('messages_id_seq') AS id, extract(epoch FROM now())::float8 AS "sentAt"
    FROM generate_series(1, $1::int)`,
  row: { id: column.bigint, sentAt: column.float },
});

/** Gives every message its id, the time of the transaction, and the row of its conversation. */
async function number(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<{ numbered: NumberedMessage[]; shown: readonly NewEvent[] }> {
  const conversations = outgoing.flatMap(({ target }) =>
    target.kind === "direct" ? [target] : [],
  );
  const targets = outgoing.map(({ target }) => target);
  const [, ids, { ids: directs, events: shown }, widgetIds] = await Promise.all([
    lockTouchedChannels(tx, targets),
    tx.rows(allocate, [outgoing.length]),
    openConversations(tx, realm, conversations),
    allocateWidgets(tx, outgoing),
  ]);
  const numbered = outgoing.map((message, i) => {
    const { target } = message;
    const recipientId =
      target.kind === "channel"
        ? target.channel.recipientId
        : directs.get(memberKey(target.members));
    const numbers = ids[i];
    if (!numbers || recipientId === undefined) throw new Error("a message without id or recipient");
    const widgetId = widgetIds.get(message);
    const widget = widgetId === undefined ? {} : { widgetId };
    return { recipientId, ...message, ...numbers, ...widget };
  });
  return { numbered, shown };
}
