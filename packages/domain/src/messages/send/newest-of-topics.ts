import { hasSharedHistorySql } from "@carillon/model";
import { notNull, statement, type Sql } from "@carillon/db";

import type { AuthoredText } from "./authored-text.ts";

/**
 * How many of a topic's newest messages are searched for one that the author can see. A subscriber sees the messages that
 * were sent since the subscription began, so either the newest is visible or few are. Without a bound, a text of a
 * thousand links would read a thousand topics.
 */
const maxScanned = 200;

/**
 * Finds the newest message of each linked topic that the author can see; a text may link to hundreds. Does not check
 * whether the author may read the channel.
 */
const newestOfTopics = statement({
  name: "newest-of-topics",
  text: `SELECT w.author_id AS "authorId", c.id AS "channelId", w.topic, newest.id
    FROM unnest((SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::int[])) AS w (channel_name, topic, author_id)
    JOIN channels c ON c.realm_id = $1 AND c.name = w.channel_name
    JOIN recipients r ON r.channel_id = c.id
    CROSS JOIN LATERAL (
      SELECT latest.id FROM (
        SELECT m.id FROM messages m
        WHERE m.recipient_id = r.id AND m.is_channel AND lower(m.topic) = lower(w.topic)
        ORDER BY m.id DESC LIMIT CASE WHEN ${hasSharedHistorySql} THEN 1 ELSE ${maxScanned} END) latest
      WHERE ${hasSharedHistorySql}
        OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = w.author_id AND um.message_id = latest.id)
      ORDER BY latest.id DESC LIMIT 1
    ) newest`,
  overrides: { authorId: notNull, topic: notNull },
});

/** Returns the key of a linked topic in the result of {@link loadNewestOfTopics}. */
export function linkKey(authorId: number, channelId: number, topic: string): string {
  return `${authorId}:${channelId}:${topic}`;
}

/** Returns the ids of the newest messages of linked topics, by {@link linkKey}. */
export async function loadNewestOfTopics(
  sql: Sql,
  realmId: number,
  texts: readonly AuthoredText[],
): Promise<Map<string, number>> {
  // Each link once: looking a topic up may read hundreds of its messages, and a batch has hundreds of texts.
  const links = distinctBy(
    texts.flatMap(({ parsed, authorId }) =>
      parsed.names.topics.map((link) => ({ ...link, authorId })),
    ),
    ({ authorId, channelName, topic }) => JSON.stringify([authorId, channelName, topic]),
  );
  const rows = await sql.rows(newestOfTopics, [
    realmId,
    links.map(({ channelName }) => channelName),
    links.map(({ topic }) => topic),
    links.map(({ authorId }) => authorId),
  ]);
  return new Map(
    rows.map(({ authorId, channelId, topic, id }) => [linkKey(authorId, channelId, topic), id]),
  );
}

/** Returns the last of the values with the same key. */
function distinctBy<T>(values: readonly T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}
