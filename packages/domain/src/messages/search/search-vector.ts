import { setImmediate } from "node:timers/promises";

import { notNull, type Sql, statement, type Tx } from "@carillon/db";
import { escapeCodeBlock, searchText } from "@carillon/markdown";

/** The texts from which a message's search vector is made. */
interface SearchTexts {
  /** Words of the topic; `""` for a direct message. */
  readonly topicWords: string;
  readonly contentWords: string;
}

/**
 * Returns the texts by which a message can be found (messages.md §5).
 * @param topic `""` for a direct message
 * @param html its rendered content
 */
export function searchTexts(topic: string, html: string): SearchTexts {
  return { topicWords: topicWords(topic), contentWords: searchText(html) };
}

/** Returns the words of a topic, extracted from its HTML. */
export function topicWords(topic: string): string {
  return searchText(escapeCodeBlock(topic));
}

/**
 * Writes the SQL of a message's column `search`; every statement that writes a message's content also sets it. The
 * topic's words have the weight A, so that a move can replace them without parsing the content again.
 * @param words SQL of the two texts of {@link searchTexts}
 */
export function searchVector(words: { topic: string; content: string }): string {
  return `${topicVector(words.topic)} || ${contentVector(words.content)}`;
}

/** Writes the SQL of the part of {@link searchVector} for the topic's words. */
export function topicVector(words: string): string {
  return `setweight(to_tsvector('english', ${words}), 'A')`;
}

/** Writes the SQL of the part of {@link searchVector} for the content's words. */
export function contentVector(words: string): string {
  return `to_tsvector('english', ${words})`;
}

/**
 * Writes the SQL of a message's column `search` after its topic has changed and its content has not.
 * @param vector SQL of the old search vector
 * @param topic SQL of the {@link topicWords} of the new topic
 */
export function searchVectorInTopic(vector: string, topic: string): string {
  return `${topicVector(topic)} || ts_filter(${vector}, '{d}')`;
}

/**
 * Newest first. Skips messages that another transaction is changing: that transaction writes the vector itself, or the
 * next run does.
 */
const withoutWords = statement({
  name: "messages-without-words",
  text: `SELECT id, CASE WHEN is_channel THEN topic ELSE '' END AS topic, rendered_content AS html
    FROM messages WHERE search IS NULL ORDER BY id DESC LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`,
});

const write = statement({
  name: "words-of-messages",
  text: `UPDATE messages m SET search = ${searchVector({ topic: "w.topic", content: "w.content" })}
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS w (id, topic, content) WHERE m.id = w.id`,
});

/**
 * Fills the search vectors of messages without one: messages from before search existed, and restored messages.
 * @returns how many messages, at most `limit`
 */
export async function indexMessages(tx: Tx, limit: number): Promise<number> {
  const messages = await tx.rows(withoutWords, [limit]);
  const texts = [];
  for (const { topic, html } of messages) {
    texts.push(searchTexts(topic, html));
    // The longest messages take 5 ms or more.
    await setImmediate();
  }
  if (texts.length > 0)
    await tx.rows(write, [
      messages.map(({ id }) => id),
      texts.map(({ topicWords }) => topicWords),
      texts.map(({ contentWords }) => contentWords),
    ]);
  return messages.length;
}

const mergePendingList = statement({
  name: "file-words",
  text: "SELECT gin_clean_pending_list('messages_search_idx'::regclass) AS pages",
  overrides: { pages: notNull },
});

/**
 * Merges the pending list of the search index (GIN) into its main structure. Sending adds words to that list, and every
 * search scans it completely.
 * @returns the number of 8 kB pages merged
 */
export async function mergePendingWords(sql: Sql): Promise<number> {
  return (await sql.rows(mergePendingList))[0]?.pages ?? 0;
}
