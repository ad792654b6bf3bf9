import { statement, type Tx } from "@carillon/db";
import { renderVersion } from "@carillon/markdown";
import type { AccessibleMessage } from "@carillon/model";

import {
  searchTexts,
  searchVector,
  searchVectorInTopic,
  topicWords,
} from "../search/search-vector.ts";
import type { NewText } from "./check-change.ts";
import { changesChannel, changesTopic, type Move } from "./check-move.ts";

/** SQL: user and time of the change, the first fields of each history entry (messages.md §6.3). */
const stamp = (userId: string) =>
  `jsonb_build_object('user_id', ${userId}::int, 'timestamp', floor(extract(epoch FROM now()))::bigint)`;

/** Maximum entries of a message's history. */
const maxEntries = 1_000;
/** Maximum characters of all earlier contents and their HTML; the newest entry is kept however long it is. */
const maxCharacters = 100_000;

/**
 * The history stores each message's own spelling of the old topic. Does not write a message that is already in the target
 * channel and has the new spelling.
 */
const move = statement({
  name: "messages-move",
  text: `UPDATE messages m SET topic = coalesce($3::text, m.topic), recipient_id = $4, last_edit_at = now(),
      changed_channel = m.changed_channel OR m.recipient_id <> $4,
      edit_history = ${withMove(
        `${stamp("$5")}
        || CASE WHEN $3::text <> m.topic THEN jsonb_build_object('prev_topic', m.topic, 'topic', $3::text)
          ELSE '{}' END
        || CASE WHEN m.recipient_id <> $4 THEN jsonb_build_object('prev_stream', $6::int, 'stream', $7::int)
          ELSE '{}' END`,
        "m.edit_history",
      )},
      search = CASE WHEN $3::text IS NULL THEN m.search ELSE ${searchVectorInTopic("m.search", "$8::text")} END
    WHERE m.realm_id = $1 AND m.id = ANY(ARRAY(SELECT unnest($2::bigint[])))
      AND (m.recipient_id <> $4 OR m.topic <> coalesce($3::text, m.topic))`,
});

/** Moves messages by one statement. All are in one channel and topic, and the transaction has locked them. */
export async function storeMove(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
  ids: readonly number[],
  planned: Move,
): Promise<void> {
  const { from, to } = planned;
  await tx.rows(move, [
    realmId,
    ids,
    changesTopic(planned) ? to.topic : null,
    to.channel.recipientId,
    id,
    changesChannel(planned) ? from.channel.id : null,
    changesChannel(planned) ? to.channel.id : null,
    topicWords(to.topic),
  ]);
}

/** If the same request has moved the message, both changes share one history entry. */
const rewrite = statement({
  name: "message-rewrite",
  text: `UPDATE messages m SET content = $3, rendered_content = $4, render_version = $5, has_link = $6, has_image = $7,
      has_attachment = $8, last_edit_at = now(),
      edit_history = ${withEdit(
        `CASE WHEN $10 THEN m.edit_history->0 ELSE ${stamp("$9")} END
          || jsonb_build_object('prev_content', m.content, 'prev_rendered_content', m.rendered_content)`,
        "CASE WHEN $10 THEN m.edit_history - 0 ELSE m.edit_history END",
      )},
      search = ${searchVector({ topic: "$11::text", content: "$12::text" })}
    WHERE m.realm_id = $1 AND m.id = $2`,
});

/** Stores the new content of a message. @param moved the move that {@link storeMove} has stored for the same request */
export async function storeText(
  tx: Tx,
  { id: userId, realmId }: { readonly id: number; readonly realmId: number },
  { id, channelId, topic }: AccessibleMessage,
  { content, rendered }: NewText,
  moved: Move | undefined,
): Promise<void> {
  const { html, hasLink, hasImage, hasAttachment } = rendered;
  const words = searchTexts(channelId === null ? "" : (moved?.to.topic ?? topic), html);
  await tx.rows(rewrite, [
    realmId,
    id,
    content,
    html,
    renderVersion,
    hasLink,
    hasImage,
    hasAttachment,
    userId,
    moved !== undefined,
    words.topicWords,
    words.contentWords,
  ]);
}

/*
 * Every reader of a message reads its history, and every change rewrites it. So the oldest entries are dropped when
 * there are too many, or when their texts are too long.
 */

/** SQL: the history with one more entry, which has an earlier content. @param history may be null */
function withEdit(entry: string, history: string): string {
  const characters = ["prev_content", "prev_rendered_content"]
    .map((text) => `length(coalesce(entry->>'${text}', ''))`)
    .join(" + ");
  return `(SELECT jsonb_agg(entry ORDER BY n) FROM (
      SELECT entry, n, sum(${characters}) OVER (ORDER BY n) AS characters
      FROM jsonb_array_elements(jsonb_build_array(${entry}) || coalesce(${history}, '[]')) WITH ORDINALITY AS h (entry, n)
    ) h WHERE n = 1 OR (n <= ${maxEntries} AND characters <= ${maxCharacters}))`;
}

/** SQL: the history with one more entry, which has no content. @param history may be null */
function withMove(entry: string, history: string): string {
  return `jsonb_build_array(${entry}) || CASE WHEN jsonb_array_length(${history}) >= ${maxEntries}
    THEN ${history} - -1 ELSE coalesce(${history}, '[]') END`;
}
