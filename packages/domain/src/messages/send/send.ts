import {
  loadAfter,
  memberKey,
  type NumberedMessage,
  type OutgoingMessage,
  type Realm,
} from "@carillon/model";
import { statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { claimFiles } from "../../files/claims.ts";
import { recordCalls } from "../../outgoing-calls/record-calls.ts";
import { recordPushPlan } from "../../notifications/plan-pushes.ts";
import { openConversations } from "../../user-visibility/new-conversations.ts";
import { amongAudience } from "./audience.ts";
import {
  loadReceiving,
  messageEvents,
  type MadeMessages,
  type Receiving,
} from "./make-messages.ts";
import { recordBotCommands } from "./record-bot-commands.ts";
import { copyInsertion, insertMessages, messageValues } from "./store-messages.ts";
import { allocateWidgets, storeWidgets } from "./store-widgets.ts";
import { lockTouchedChannels, touchChannels } from "./touch-channels.ts";
import { raiseVisibility } from "./visibility.ts";

/** The effect of a request with an upsert key (once-and-again.md §2). */
export type UpsertResult = "created" | "edited" | "unchanged" | "stale";

/** A stored message. */
export interface SentMessage {
  readonly id: number;
  /** The sender's new policy for the topic, if sending changed it. */
  readonly newVisibilityPolicy?: number;
  /** The outcome of a request with an upsert key. */
  readonly upsertResult?: UpsertResult;
}

export interface SendResult {
  /** In the order of the given messages. */
  readonly sent: readonly SentMessage[];
  /** For the transaction's one `emit`. */
  readonly events: readonly NewEvent[];
}

/**
 * Stores messages with their effects (scheduled-messages.md §6): rows, the receivers' copies with their flags, widgets,
 * topic policies. All messages are created here. Takes a fixed number of statements for a batch; ids rise in the order given.
 * @throws PostgreSQL's unique violation if the message of a scheduled message exists
 */
export async function sendMessages(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<SendResult> {
  return writeMessages(tx, realm, await numberMessages(tx, realm, outgoing));
}

/** Messages with ids. Only the rows of new conversations are written. */
export interface NumberedMessages {
  readonly numbered: readonly NumberedMessage[];
  /** The events of new conversations. */
  readonly conversationEvents: readonly NewEvent[];
  /** Undefined if it depends on the written rows: for mentions of a topic's participants, and restricted guests. */
  readonly receiving: Receiving | undefined;
}

/**
 * Allocates ids and loads receivers, so that rows and copies are sent at once: the first half of {@link sendMessages}.
 */
export async function numberMessages(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<NumberedMessages> {
  if (outgoing.length === 0) return { numbered: [], conversationEvents: [], receiving: undefined };
  const dependsOnRows =
    realm.restrictsGuests || outgoing.some(({ rendered }) => rendered.topicWildcard);
  const [{ numbered, conversationEvents }, receiving] = await Promise.all([
    allocateIds(tx, realm, outgoing),
    dependsOnRows ? undefined : loadReceiving(tx, realm, outgoing),
  ]);
  return { numbered, conversationEvents, receiving };
}

/**
 * Writes messages that already have ids, and emits their events: the second half of {@link sendMessages}.
 * @param made values and events that were made before
 */
export async function writeMessages(
  tx: Tx,
  realm: Realm,
  { numbered, conversationEvents, receiving: known }: NumberedMessages,
  made?: MadeMessages,
): Promise<SendResult> {
  if (numbered.length === 0) return { sent: [], events: [] };
  const inserting = tx.rows(
    insertMessages,
    made?.rows ?? (await messageValues(realm.id, numbered)),
  );
  const receiving =
    known ?? (await Promise.all([loadReceiving(tx, realm, numbered), inserting]))[0];
  const copies = made?.copies ?? copyInsertion(numbered, receiving.receivers, receiving.flags);
  const copying = tx.rows(copies.statement, copies.values);
  // Their rejections are handled below, after the slices in which the events are made.
  for (const writing of [inserting, copying]) writing.catch(() => {});
  const events = made?.events ?? (await messageEvents(realm, numbered, receiving));
  // A message must not raise the topic policy of a user who does not receive it.
  const received = numbered.map((message, i) => ({
    ...message,
    mentionedFollowers: amongAudience(receiving.receivers[i]!.audience, message.mentionedFollowers),
  }));
  const pushed = numbered.filter((_, i) => receiving.receivers[i]!.reachable);
  const raising = raiseVisibility(tx, received);
  const touching = touchChannels(tx, realm.id, received);
  const storing = Promise.all([
    inserting,
    copying,
    storeWidgets(tx, numbered),
    recordPushPlan(tx, realm.id, pushed),
    recordBotCommands(tx, realm.id, numbered),
    recordCalls(tx, realm.id, numbered),
  ]);
  const claiming = claimFiles(tx, realm.id, numbered.map(linkedFiles));
  const [visibility, channelEvents, fileEvents] = await Promise.all([
    raising,
    touching,
    claiming,
    storing,
  ]);
  return {
    sent: numbered.map(({ id }, i) => sentMessage(id, visibility.policies[i])),
    events: [
      ...conversationEvents,
      ...channelEvents,
      ...events,
      ...visibility.events,
      ...fileEvents,
    ],
  };
}

function linkedFiles({ id, rendered: { uploadPaths, pendingImages } }: NumberedMessage) {
  return { id, uploadPaths, pendingImages };
}

function sentMessage(id: number, policy: number | undefined): SentMessage {
  return policy === undefined ? { id } : { id, newVisibilityPolicy: policy };
}

const allocate = statement({
  name: "message-ids",
  text: `SELECT nextval('messages_id_seq') AS id, extract(epoch FROM now())::float8 AS "sentAt"
    FROM generate_series(1, $1::int)`,
});

/** Gives each message its id, the time of the transaction, and the recipient row of its conversation. */
async function allocateIds(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<{ numbered: NumberedMessage[]; conversationEvents: readonly NewEvent[] }> {
  const conversations = outgoing.flatMap(({ target, recipientId }) =>
    target.kind === "direct" && recipientId === undefined ? [target] : [],
  );
  const targets = outgoing.map(({ target }) => target);
  const { ids, opened, widgetIds } = await loadAfter(lockTouchedChannels(tx, targets), {
    ids: tx.rows(allocate, [outgoing.length]),
    opened: openConversations(tx, realm, conversations),
    widgetIds: allocateWidgets(tx, outgoing),
  });
  const numbered = outgoing.map((message, i) => {
    const { target } = message;
    const recipientId =
      target.kind === "channel"
        ? target.channel.recipientId
        : (message.recipientId ?? opened.ids.get(memberKey(target.members)));
    const numbers = ids[i];
    if (!numbers || recipientId === undefined)
      throw new Error("a message has no id or no recipient row");
    const widgetId = widgetIds.get(message);
    const widget = widgetId === undefined ? {} : { widgetId };
    return { recipientId, ...message, ...numbers, ...widget };
  });
  return { numbered, conversationEvents: opened.events };
}
