import { type Account, hasProtectedHistory, loadRealm, requireChannel } from "@carillon/model";
import { statement, notNull, type RowOf, type Tx } from "@carillon/db";

/**
 * A topic of a channel in the wire format.
 * - `name`: spelled as in its newest message.
 * - `max_id`: id of its newest message.
 */
export type TopicObject = RowOf<typeof allTopics>;

/**
 * A loose index scan along `messages_topic_idx`: the newest message of the first topic, then that of the next one.
 * Reads as many rows as there are topics, however many messages they have.
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
  overrides: { name: notNull, max_id: notNull },
});

/**
 * Scans from each topic's newest message down to the first that the account has received, and stops at the account's
 * oldest copy. If the account has received no message of a topic, each message of the topic costs one lookup.
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
});

/**
 * Lists the topics of a channel, newest first (channels.md §7). With protected history, lists only topics of messages
 * that the viewer has received (messages.md §2.1).
 * @param options allowEmptyName whether the empty topic keeps its name; otherwise it gets the organization's display
 * name
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
