import {
  editingStarted,
  editingStopped,
  errors,
  type NewEvent,
  roles,
  typingStarted,
  typingStopped,
} from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type AccessibleMessage,
  type Account,
  channelsOf,
  checkContentEditable,
  type CheckedMessage,
  type Destination,
  guestsNotSeeingAll,
  hasProtectedHistory,
  lockAudiencesShared,
  lockMessageAudience,
  isChannelType,
  loadRealm,
  type Members,
  type MessageType,
  notSeeingAmong,
  type Site,
  switchSql,
  loadAfter,
} from "@carillon/model";

import { checkMessage } from "./messages/send/check.ts";

type TypingOp = "start" | "stop";

interface TypingInput {
  readonly op: TypingOp;
  readonly type: MessageType;
  readonly to: number | readonly number[] | undefined;
  readonly channelId: number | undefined;
  readonly topic: string | undefined;
}

/** Placeholder content for the permission checks: the message is not written yet. */
const unwritten = "…";

/**
 * Sends a conversation the event that the actor is typing or has stopped (events.md §6); stores nothing (clients.md
 * §4). Requires the permission to send a message there, with the same errors.
 * @throws ApiError `BAD_REQUEST` if the actor hides typing, `REQUEST_VARIABLE_MISSING`, and the errors of sending a
 * message (scheduled-messages.md §0.4)
 */
export async function sendTypingEvents(
  tx: Tx,
  site: Site,
  actor: Account,
  input: TypingInput,
): Promise<void> {
  const { op, topic } = input;
  const destination = destinationOf(input);
  await assertSendsTypingEvents(tx, actor, destination.kind);
  const {
    found: { message },
  } = await loadAfter(lockAudiencesShared(tx, channelsOf([destination])), {
    found: checkMessage(tx, site, actor, { destination, topic, content: unwritten }),
  });
  const event = await typingEvent(tx, op, message);
  if (event) emit(tx, actor.realmId, [event]);
}

function destinationOf({ type, to, channelId, topic }: TypingInput): Destination {
  if (!isChannelType(type)) {
    if (to === undefined) throw errors.requestVariableMissing("to");
    return { kind: "direct", userIds: typeof to === "number" ? [to] : to };
  }
  if (channelId === undefined) throw errors.requestVariableMissing("stream_id");
  if (topic === undefined) throw errors.requestVariableMissing("topic");
  return { kind: "channel", channelId };
}

/** Makes the event; undefined if it has no receivers. */
async function typingEvent(
  tx: Tx,
  op: TypingOp,
  { sender, target, topic }: CheckedMessage,
): Promise<NewEvent | undefined> {
  if (target.kind === "channel" && target.channel.subscriberCount > maxSubscribers)
    return undefined;
  const audience =
    target.kind === "channel"
      ? await channelReceiversOf(tx, sender, target.channel.id)
      : await startingReceivers(tx, sender.realmId, target.participants);
  if (audience.length === 0) return undefined;
  const payload =
    target.kind === "channel"
      ? {
          message_type: "stream" as const,
          sender: person(sender),
          stream_id: target.channel.id,
          topic,
        }
      : {
          message_type: "direct" as const,
          sender: person(sender),
          recipients: target.participants.map(person),
        };
  const event = op === "start" ? typingStarted : typingStopped;
  return event(payload, { audience });
}

function person({ id, email }: Account) {
  return { user_id: id, email };
}

interface EditingInput {
  readonly op: "start" | "stop";
  readonly messageId: number;
}

/**
 * Sends the event that the actor is editing a message of theirs, or has stopped, to users who can read the message and
 * see the actor; stores nothing (clients.md §4).
 * @throws ApiError `BAD_REQUEST` if the account may not edit the message, or hides typing
 */
export async function sendEditingEvents(
  tx: Tx,
  account: Account,
  { op, messageId }: EditingInput,
): Promise<void> {
  const { actor, message } = await lockMessageAudience(tx, account, messageId);
  checkContentEditable(actor, message, await loadRealm(tx, actor.realmId), 0);
  await assertSendsTypingEvents(tx, actor, message.channel ? "channel" : "direct");
  const audience = await receivers(tx, actor, message);
  if (audience.length === 0) return;
  const event = op === "start" ? editingStarted : editingStopped;
  const fields = { sender_id: actor.id, message_id: messageId, recipient: recipientOf(message) };
  emit(tx, actor.realmId, [event(fields, { audience })]);
}

function recipientOf({ channel, topic, memberIds }: AccessibleMessage) {
  return channel
    ? { type: "channel" as const, channel_id: channel.id, topic }
    : { type: "direct" as const, user_ids: memberIds ?? [] };
}

async function receivers(
  tx: Tx,
  sender: Account,
  { id, channel, memberIds }: AccessibleMessage,
): Promise<number[]> {
  if (!channel) return directReceivers(tx, sender.realmId, memberIds ?? []);
  if (channel.subscriberCount > maxSubscribers) return [];
  const subscribers = await channelReceiversOf(tx, sender, channel.id);
  return hasProtectedHistory(channel) ? holders(tx, id, subscribers) : subscribers;
}

const having = statement({
  name: "holders-of-message",
  text: "SELECT user_id AS id FROM user_messages WHERE user_id = ANY($1::int[]) AND message_id = $2 ORDER BY user_id",
});

/** Returns the given accounts that have a copy of the message. */
async function holders(tx: Tx, messageId: number, userIds: readonly number[]): Promise<number[]> {
  const rows = await tx.rows(having, [userIds, messageId]);
  return rows.map(({ id }) => id);
}

const senders = {
  direct: statement({
    name: "sends-direct-typing",
    text: `SELECT ${switchSql("send_private_typing_notifications")} AS sends FROM users u WHERE u.id = $1`,
  }),
  channel: statement({
    name: "sends-channel-typing",
    text: `SELECT ${switchSql("send_stream_typing_notifications")} AS sends FROM users u WHERE u.id = $1`,
  }),
};

/** No event is sent to channels with more subscribers. */
const maxSubscribers = 100;

/**
 * Checks that the account's settings allow typing events.
 * @throws ApiError `BAD_REQUEST` if not
 */
async function assertSendsTypingEvents(
  sql: Sql,
  account: Account,
  where: "channel" | "direct",
): Promise<void> {
  const [row] = await sql.rows(senders[where], [account.id]);
  if (row?.sends !== true)
    throw errors.badRequest(`Your settings do not send typing notifications in ${where} messages`);
}

const receivesTypingEvents = switchSql("receives_typing_notifications");

const inChannel = statement({
  name: "channel-typing-receivers",
  text: `SELECT u.id FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE s.channel_id = $1 AND s.active AND s.is_user_active AND ${receivesTypingEvents} ORDER BY u.id`,
});

/** Returns the channel's subscribers who receive typing events and see the sender, ascending. */
async function channelReceiversOf(sql: Sql, sender: Account, channelId: number): Promise<number[]> {
  const rows = await sql.rows(inChannel, [channelId]);
  const ids = rows.map(({ id }) => id);
  const notSeeing = await notSeeingAmong(sql, sender, ids);
  return ids.filter((id) => !notSeeing.has(id));
}

const inConversation = statement({
  name: "direct-typing-receivers",
  text: `SELECT u.id FROM users u
    WHERE u.realm_id = $1 AND u.id = ANY($2::int[]) AND u.is_active AND ${receivesTypingEvents} ORDER BY u.id`,
});

/**
 * Returns the receivers of a conversation that may have no message yet, ascending. The event names all participants, so a
 * guest who cannot see one of them gets no event (users.md §2.1). Among more than 100 participants, no guest gets one: the
 * check compares each guest with each participant.
 */
async function startingReceivers(
  sql: Sql,
  realmId: number,
  participants: readonly Account[],
): Promise<number[]> {
  const ids = participants.map(({ id }) => id);
  const guests = participants.flatMap(({ id, role }) => (role === roles.guest ? [id] : []));
  const [receiving, excluded] = await Promise.all([
    directReceivers(sql, realmId, ids),
    participants.length > maxSubscribers
      ? new Set(guests)
      : guestsNotSeeingAll(sql, realmId, guests, ids),
  ]);
  return receiving.filter((id) => !excluded.has(id));
}

/** Returns the conversation's active participants who receive typing events, including the sender, ascending. */
async function directReceivers(sql: Sql, realmId: number, members: Members): Promise<number[]> {
  const rows = await sql.rows(inConversation, [realmId, members]);
  return rows.map(({ id }) => id);
}
