import {
  type Account,
  type AccessibleMessage,
  checkContentEditable,
  hasProtectedHistory,
  holdMessage,
  loadRealm,
} from "@carillon/model";
import { editingStarted, editingStopped } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import {
  channelReceiversOf,
  checkTellsTyping,
  directReceivers,
  maxSubscribers,
} from "./typing-settings.ts";

export interface EditingInput {
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
