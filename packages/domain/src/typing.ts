import {
  editingStarted,
  editingStopped,
  errors,
  type NewEvent,
  typingStarted,
  typingStopped,
} from "@carillon/contract";
import { column, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type AccessibleMessage,
  type Account,
  channelsOf,
  checkContentEditable,
  type CheckedMessage,
  type Destination,
  hasProtectedHistory,
  holdAudiences,
  holdMessage,
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

/** The message that the sender may be writing, of which nobody can know what it says. */
const unwritten = "…";

/**
 * Tells a conversation that somebody is typing, or has stopped, each time that it is asked to (events.md §6); stores
 * nothing (clients.md §4). An account that could not send a message there may not do so either, and gets the same
 * refusals.
 * @throws ApiError `BAD_REQUEST` where the sender does not want typing to be told, `REQUEST_VARIABLE_MISSING`, and the
 * refusals of a message (scheduled-messages.md §0.4)
 */
export async function tellTyping(
  tx: Tx,
  site: Site,
  actor: Account,
  input: TypingInput,
): Promise<void> {
  const { op, topic } = input;
  const destination = destinationOf(input);
  await checkTellsTyping(tx, actor, destination.kind);
  const {
    found: { message },
  } = await loadAfter(holdAudiences(tx, channelsOf([destination])), {
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

/** The event, undefined where there is nobody to tell. */
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
      : await directReceivers(tx, sender.realmId, target.members);
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
 * Tells those who would see the change, and see who makes it, that somebody edits a message of theirs, or has stopped,
 * each time that it is asked to; stores nothing (clients.md §4).
 * @throws ApiError `BAD_REQUEST` where the message is not the account's to edit, or the account does not want typing to
 * be told
 */
export async function tellEditing(
  tx: Tx,
  account: Account,
  { op, messageId }: EditingInput,
): Promise<void> {
  const { actor, message } = await holdMessage(tx, account, messageId);
  checkContentEditable(actor, message, await loadRealm(tx, actor.realmId), 0);
  await checkTellsTyping(tx, actor, message.channel ? "channel" : "direct");
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
  row: { id: column.int },
});

/** Those of the accounts who have a copy of the message. */
async function holders(tx: Tx, messageId: number, userIds: readonly number[]): Promise<number[]> {
  const rows = await tx.rows(having, [userIds, messageId]);
  return rows.map(({ id }) => id);
}

const senders = {
  direct: statement({
    name: "tells-direct-typing",
    text: `SELECT ${switchSql("send_private_typing_notifications")} AS tells FROM users u WHERE u.id = $1`,
    row: { tells: column.bool },
  }),
  channel: statement({
    name: "tells-channel-typing",
    text: `SELECT ${switchSql("send_stream_typing_notifications")} AS tells FROM users u WHERE u.id = $1`,
    row: { tells: column.bool },
  }),
};

/** Channels with more subscribers are told nothing. */
const maxSubscribers = 100;

/**
 * Refuses an account that does not want others to be told that it is typing.
 * @throws ApiError `BAD_REQUEST`
 */
async function checkTellsTyping(
  sql: Sql,
  account: Account,
  where: "channel" | "direct",
): Promise<void> {
  const [row] = await sql.rows(senders[where], [account.id]);
  if (row?.tells !== true)
    throw errors.badRequest(`Your settings keep your typing in ${where} messages to yourself`);
}

const wantIt = switchSql("receives_typing_notifications");

const inChannel = statement({
  name: "channel-typing-receivers",
  text: `SELECT u.id FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE s.channel_id = $1 AND s.active AND s.is_user_active AND ${wantIt} ORDER BY u.id`,
  row: { id: column.int },
});

/** The channel's subscribers who want to be told of typing, and see who types, ascending. */
async function channelReceiversOf(sql: Sql, sender: Account, channelId: number): Promise<number[]> {
  const rows = await sql.rows(inChannel, [channelId]);
  const ids = rows.map(({ id }) => id);
  const blind = await notSeeingAmong(sql, sender, ids);
  return ids.filter((id) => !blind.has(id));
}

const inConversation = statement({
  name: "direct-typing-receivers",
  text: `SELECT u.id FROM users u
    WHERE u.realm_id = $1 AND u.id = ANY($2::int[]) AND u.is_active AND ${wantIt} ORDER BY u.id`,
  row: { id: column.int },
});

/** The conversation's active participants who want to be told of typing, the sender among them, ascending. */
async function directReceivers(sql: Sql, realmId: number, members: Members): Promise<number[]> {
  const rows = await sql.rows(inConversation, [realmId, members]);
  return rows.map(({ id }) => id);
}
