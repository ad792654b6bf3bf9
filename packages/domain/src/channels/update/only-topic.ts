import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

/**
 * The last entry of the channel in `messages_topic_idx`, however many messages there are. Asked whether there is one
 * behind the empty topic, PostgreSQL expects a third of them to be, and looks through all messages for the first.
 */
const last = statement({
  name: "last-topic-of-channel",
  text: `SELECT m.topic FROM messages m
    WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
    ORDER BY lower(m.topic) DESC, m.id LIMIT 1`,
  row: { topic: column.text },
});

/**
 * A channel that has messages in topics cannot have the empty one only (channels.md §5.9). Nobody may send to it
 * meanwhile (`lockChannels`).
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkHasNoTopics(tx: Tx, channelId: number): Promise<void> {
  const [message] = await tx.rows(last, [channelId]);
  if (message && message.topic !== "")
    throw errors.badRequest(
      "topics_policy cannot be empty_topic_only: the channel has messages in other topics",
    );
}
