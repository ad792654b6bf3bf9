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
import { withEdit, withMove } from "./kept-history.ts";
import { changesChannel, changesTopic, type Move } from "./check-move.ts";

/** Who changed the message, and when: what each entry of its history begins with (messages.md §6.3). */
const stamp = (userId: string) =>
  `jsonb_build_object('user_id', ${userId}::int, 'timestamp', floor(extract(epoch FROM now()))::bigint)`;

/** Topics are told as each message had its own spelled. One that bears the new name already stays as it is. */
const move = statement({
  name: "messages-move",
  text: `UPDATE messages m SET topic = coalesce($3::text, m.topic), recipient_id = $4, last_edit_at = now(),
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
  row: {},
});

/** Moves messages, all in one channel and in one topic, which the transaction has locked, by one statement. */
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

/** Where the message was moved by the same request, both are one entry of its history. */
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
  row: {},
});

/** Stores what the message says by now. @param moved where {@link storeMove} has moved it to for the same request */
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
