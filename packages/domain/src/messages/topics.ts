import type { Sql } from "@carillon/db";

/** One topic of one channel; topics compare without regard to case. */
export interface TopicKey {
  readonly recipientId: number;
  readonly topic: string;
}

/** Its name, for maps. */
export function topicName({ recipientId, topic }: TopicKey): string {
  return `${recipientId}:${topic.toLowerCase()}`;
}

const existing = {
  name: "existing-topics",
  text: `SELECT t.recipient_id AS "recipientId", t.topic
    FROM unnest($1::int[], $2::text[]) AS t (recipient_id, topic)
    WHERE EXISTS (
      SELECT 1 FROM messages m
      WHERE m.recipient_id = t.recipient_id AND m.is_channel AND lower(m.topic) = lower(t.topic)
    )`,
};

/** Which of the topics have a message, as a set of {@link topicName}s. */
export async function existingTopics(sql: Sql, topics: readonly TopicKey[]): Promise<Set<string>> {
  if (topics.length === 0) return new Set();
  const wanted = [...new Map(topics.map((key) => [topicName(key), key])).values()];
  const rows = await sql.rows<TopicKey>(existing, [
    wanted.map(({ recipientId }) => recipientId),
    wanted.map(({ topic }) => topic),
  ]);
  return new Set(rows.map(topicName));
}

/** Accounts that have sent a message in the topic: its participants, in no order. */
export async function topicParticipants(sql: Sql, topic: TopicKey): Promise<number[]> {
  const rows = await sql.rows<{ id: number }>(
    `SELECT DISTINCT sender_id AS id FROM messages
     WHERE recipient_id = $1 AND is_channel AND lower(topic) = lower($2)`,
    [topic.recipientId, topic.topic],
  );
  return rows.map(({ id }) => id);
}
