import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

/** The first entry behind the empty topic's in `messages_topic_idx`, however many messages there are. */
const another = statement({
  name: "channel-has-topics",
  text: `SELECT EXISTS (
      SELECT FROM messages m
      WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
        AND lower(m.topic) > ''
    ) AS found`,
  row: { found: column.bool },
});

/**
 * A channel that has messages in topics cannot have the empty one only (channels.md §5.9). Nobody may send to it
 * meanwhile (`lockChannels`).
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkHasNoTopics(tx: Tx, channelId: number): Promise<void> {
  const [row] = await tx.rows(another, [channelId]);
  if (row?.found)
    throw errors.badRequest(
      "topics_policy cannot be empty_topic_only: the channel has messages in other topics",
    );
}
