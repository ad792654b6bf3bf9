import { column, statement, type Tx } from "@carillon/db";
import { setImmediate } from "node:timers/promises";

import { searchTexts, searchVector } from "./search-vector.ts";

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
