import { column, statement, type Sql } from "@carillon/db";

/** One topic of one channel; topics compare without regard to case. */
export interface TopicKey {
  readonly recipientId: number;
  readonly topic: string;
}

/** Its name, for maps. */
export function topicName({ recipientId, topic }: TopicKey): string {
  return `${recipientId}:${topic.toLowerCase()}`;
}

/** One topic of one channel, by the channel's id. */
export interface ChannelTopic {
  readonly channelId: number;
  readonly topic: string;
}

const wanted = `unnest($2::int[], $3::text[]) AS w (channel_id, topic)
    JOIN channels c ON c.id = w.channel_id AND c.realm_id = $1 JOIN recipients r ON r.channel_id = c.id`;

const existing = statement({
  name: "existing-topics",
  text: `SELECT r.id AS "recipientId", w.topic FROM ${wanted}
    WHERE NOT EXISTS (
      SELECT FROM named_user_group g
      WHERE g.id = c.can_create_topic_group_id AND g.is_system_group AND g.name = 'role:everyone'
    ) AND EXISTS (
      SELECT FROM messages m
      WHERE m.recipient_id = r.id AND m.is_channel AND lower(m.topic) = lower(w.topic)
    )`,
  row: { recipientId: column.int, topic: column.text },
});

/**
 * Which of the topics have a message, as a set of {@link topicName}s. Channels in which everybody may start topics are
 * left out: there it matters to nobody.
 */
export async function existingTopics(
  sql: Sql,
  realmId: number,
  topics: readonly ChannelTopic[],
): Promise<Set<string>> {
  if (topics.length === 0) return new Set();
  const rows = await sql.rows(existing, [realmId, ...columns(topics)]);
  return new Set(rows.map(topicName));
}

const counted = statement({
  name: "count-topic-participants",
  text: `SELECT r.id AS "recipientId", w.topic, (
      SELECT count(DISTINCT m.sender_id)::int FROM messages m
      WHERE m.recipient_id = r.id AND m.is_channel AND lower(m.topic) = lower(w.topic)
    ) AS participants FROM ${wanted}`,
  row: { recipientId: column.int, topic: column.text, participants: column.int },
});

/** How many accounts have sent a message in each topic, by {@link topicName}. */
export async function countParticipants(
  sql: Sql,
  realmId: number,
  topics: readonly ChannelTopic[],
): Promise<Map<string, number>> {
  if (topics.length === 0) return new Map();
  const rows = await sql.rows(counted, [realmId, ...columns(topics)]);
  return new Map(rows.map(({ participants, ...topic }) => [topicName(topic), participants]));
}

/** Each topic once, as the statements above take them. */
function columns(topics: readonly ChannelTopic[]): [number[], string[]] {
  const distinct = [
    ...new Map(topics.map((each) => [`${each.channelId}:${each.topic}`, each])).values(),
  ];
  return [distinct.map(({ channelId }) => channelId), distinct.map(({ topic }) => topic)];
}

const participants = statement({
  name: "topic-participants",
  text: `SELECT DISTINCT sender_id AS id FROM messages
    WHERE recipient_id = $1 AND is_channel AND lower(topic) = lower($2)`,
  row: { id: column.int },
});

/** Accounts that have sent a message in the topic: its participants, in no order. */
export async function topicParticipants(sql: Sql, topic: TopicKey): Promise<number[]> {
  const rows = await sql.rows(participants, [topic.recipientId, topic.topic]);
  return rows.map(({ id }) => id);
}
