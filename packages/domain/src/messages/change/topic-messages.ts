import { statement, type Tx } from "@carillon/db";
import { hasProtectedHistory, type TopicKey } from "@carillon/model";

import type { Move } from "./check-move.ts";

const begun = statement({
  name: "topic-has-messages",
  text: `SELECT EXISTS (SELECT FROM messages m WHERE m.recipient_id = $1 AND m.is_channel AND lower(m.topic) = lower($2)
      AND ($3::int IS NULL OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id))) AS found`,
});

/** Whether the target topic has messages. */
export function targetHasMessages(tx: Tx, { to }: Move): Promise<boolean> {
  return has(tx, { recipientId: to.channel.recipientId, topic: to.topic }, null);
}

/** Whether messages remain in the source topic that the account can see. */
export function sourceHasMessages(
  tx: Tx,
  userId: number,
  recipientId: number,
  { from }: Move,
): Promise<boolean> {
  const receiver = hasProtectedHistory(from.channel) ? userId : null;
  return has(tx, { recipientId, topic: from.topic }, receiver);
}

async function has(
  tx: Tx,
  { recipientId, topic }: TopicKey,
  receiver: number | null,
): Promise<boolean> {
  const row = await tx.first(begun, [recipientId, topic, receiver]);
  return row?.found ?? false;
}
