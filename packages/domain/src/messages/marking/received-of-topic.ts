import { column, statement, type Sql } from "@carillon/db";

/** From the topic's newest message down to the first that the account has a copy of; older ones than all of its copies are not looked at. */
const received = statement({
  name: "topic-received",
  text: `SELECT EXISTS (
    SELECT FROM messages m
    WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
      AND lower(m.topic) = lower($2)
      AND m.id >= (SELECT min(message_id) FROM user_messages WHERE user_id = $3)
      AND EXISTS (SELECT FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id OFFSET 0)
  ) AS any`,
  row: { any: column.bool },
});

/** Whether the account has a copy of a message of the topic. */
export async function hasReceivedOfTopic(
  sql: Sql,
  userId: number,
  channelId: number,
  topic: string,
): Promise<boolean> {
  const [row] = await sql.rows(received, [channelId, topic, userId]);
  return row?.any ?? false;
}
