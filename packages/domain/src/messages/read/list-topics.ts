import { type Account, hasProtectedHistory, loadRealm, requireChannel } from "@carillon/model";
import { column, statement, type RowOf, type Tx } from "@carillon/db";

const row = {
  /** As in its newest message. */
  name: column.text,
  /** Id of its newest message. */
  max_id: column.bigint,
};

/** A topic of a channel, in wire spelling. */
export type TopicObject = RowOf<typeof row>;

/**
 * Hops from topic to topic along `messages_topic_idx`, one look-up a topic: the newest message of the first topic,
 * then that of the next one. It reads as many rows as there are topics, however many messages they have.
 */
const newestOfEach = `WITH RECURSIVE newest AS (
    (SELECT lower(m.topic) AS key, m.topic, m.id FROM messages m
     WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
     ORDER BY lower(m.topic), m.id DESC LIMIT 1)
    UNION ALL
    SELECT next.* FROM newest CROSS JOIN LATERAL (
      SELECT lower(m.topic) AS key, m.topic, m.id FROM messages m
      WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
        AND lower(m.topic) > newest.key
      ORDER BY lower(m.topic), m.id DESC LIMIT 1) next
  )`;

const allTopics = statement({
  name: "topics-of-channel",
  text: `${newestOfEach} SELECT topic AS name, id AS max_id FROM newest ORDER BY id DESC`,
  row,
});

/**
 * From each topic's newest message down to the first that the account has received; those from before its time are
 * not looked at. A topic that it has received nothing of costs a look-up a message.
 */
const receivedTopics = statement({
  name: "topics-received-of-channel",
  text: `${newestOfEach}
    SELECT received.topic AS name, received.id AS max_id FROM newest CROSS JOIN LATERAL (
      SELECT m.topic, m.id FROM messages m
      WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
        AND lower(m.topic) = newest.key
        AND m.id >= (SELECT min(message_id) FROM user_messages WHERE user_id = $2)
        AND EXISTS (SELECT FROM user_messages um WHERE um.user_id = $2 AND um.message_id = m.id OFFSET 0)
      ORDER BY m.id DESC LIMIT 1) received
    ORDER BY received.id DESC`,
  row,
});

/**
 * The topics of the channel that the viewer may read, newest first (channels.md §7): where history is protected,
 * those of messages that the viewer has received (messages.md §2.1).
 * @param options allowEmptyName whether the empty topic keeps its name; otherwise it gets the organization's
 * @throws ApiError `BAD_REQUEST` unless the viewer may read the channel
 */
export async function listTopics(
  tx: Tx,
  viewer: Account,
  channelId: number,
  options: { readonly allowEmptyName: boolean },
): Promise<TopicObject[]> {
  const channel = await requireChannel(tx, viewer, channelId, {
    access: "content",
    archived: false,
  });
  const [topics, realm] = await Promise.all([
    hasProtectedHistory(channel)
      ? tx.rows(receivedTopics, [channel.id, viewer.id])
      : tx.rows(allTopics, [channel.id]),
    loadRealm(tx, viewer.realmId),
  ]);
  if (options.allowEmptyName) return topics;
  return topics.map((topic) =>
    topic.name === "" ? { ...topic, name: realm.emptyTopicDisplayName } : topic,
  );
}
