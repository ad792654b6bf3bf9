import { setImmediate } from "node:timers/promises";

import { column, type Sql, statement, type Tx } from "@carillon/db";
import { escapeCodeBlock, searchText } from "@carillon/markdown";

/** What a message is found by, as the fragments below take it. */
interface SearchTexts {
  /** The words of its topic; `""` for a direct message. */
  readonly topicWords: string;
  readonly contentWords: string;
}

/**
 * What a message is found by (messages.md §5).
 * @param topic `""` for a direct message
 * @param html its rendered content
 */
export function searchTexts(topic: string, html: string): SearchTexts {
  return { topicWords: topicWords(topic), contentWords: searchText(html) };
}

/** The words of a topic, as it is shown in HTML. */
export function topicWords(topic: string): string {
  return searchText(escapeCodeBlock(topic));
}

/**
 * SQL of a message's column `search`: every statement that writes a message's content sets it in the same go. The words of
 * the topic have the weight A, so that a move gives others without parsing the content again.
 * @param words SQL of the two texts of {@link searchTexts}
 */
export function searchVector(words: { topic: string; content: string }): string {
  return `${topicVector(words.topic)} || ${contentVector(words.content)}`;
}

/** SQL of the half of {@link searchVector} that comes from the topic's words. */
export function topicVector(words: string): string {
  return `setweight(to_tsvector('english', ${words}), 'A')`;
}

/** SQL of the other half. */
export function contentVector(words: string): string {
  return `to_tsvector('english', ${words})`;
}

/**
 * SQL of a message's column `search` once its topic has changed, and its content has not.
 * @param vector SQL of what it was
 * @param topic SQL of the {@link topicWords} of the new one
 */
export function searchVectorInTopic(vector: string, topic: string): string {
  return `${topicVector(topic)} || ts_filter(${vector}, '{d}')`;
}

/** The newest first. One that somebody is changing is left for the next time, or has its words by then. */
const withoutWords = statement({
  name: "messages-without-words",
  text: `SELECT id, CASE WHEN is_channel THEN topic ELSE '' END AS topic, rendered_content AS html
    FROM messages WHERE search IS NULL ORDER BY id DESC LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`,
  row: { id: column.bigint, topic: column.text.neverNullHere(), html: column.text },
});

const write = statement({
  name: "words-of-messages",
  text: `UPDATE messages m SET search = ${searchVector({ topic: "w.topic", content: "w.content" })}
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS w (id, topic, content) WHERE m.id = w.id`,
  row: {},
});

/**
 * Has messages found by searching that are not yet: those of before there was a search, and those that were brought back.
 * @returns how many, at most `limit`
 */
export async function indexMessages(tx: Tx, limit: number): Promise<number> {
  const messages = await tx.rows(withoutWords, [limit]);
  const texts = [];
  for (const { topic, html } of messages) {
    texts.push(searchTexts(topic, html));
    // The longest take 5 ms and more.
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

const file = statement({
  name: "file-words",
  text: "SELECT gin_clean_pending_list('messages_search_idx'::regclass) AS pages",
  row: { pages: column.bigint },
});

/**
 * Puts the words of new messages where the search index has them in order. Sending leaves them in a list, which every
 * search reads from its beginning to its end.
 * @returns how many pages the list had, of 8 kB
 */
export async function fileWords(sql: Sql): Promise<number> {
  return (await sql.rows(file))[0]?.pages ?? 0;
}
