import { setImmediate } from "node:timers/promises";

import { type EditHistoryEntry, type HistoryMoment, errors } from "@carillon/contract";
import { column, statement, type RowOf, type Sql } from "@carillon/db";
import { htmlDifferences } from "@carillon/markdown";
import {
  type Reader,
  loadHistoryShown,
  loadRealm,
  noSuchMessage,
  requireMessage,
  topicShownBy,
  visibleEntries,
} from "@carillon/model";

const byId = statement({
  name: "message-with-history",
  text: `SELECT sender_id AS "senderId", CASE WHEN is_channel THEN topic ELSE '' END AS topic, content,
      rendered_content AS "renderedContent", extract(epoch FROM sent_at)::float8 AS "sentAt",
      edit_history AS "editHistory",
      EXISTS (SELECT FROM user_messages um WHERE um.user_id = $2 AND um.message_id = $1) AS received
    FROM messages WHERE id = $1`,
  row: {
    senderId: column.int,
    topic: column.text.neverNullHere(),
    content: column.text,
    renderedContent: column.text,
    sentAt: column.float,
    editHistory: column.json<readonly EditHistoryEntry[]>().orNull(),
    received: column.bool,
  },
});

type Row = RowOf<typeof byId.columns>;

/**
 * What the message was after each of its changes (messages.md §6.3), the oldest first, beginning with how it was sent.
 * Where the message was moved out of a channel that the viewer may not read, as it came from there.
 * Where only moves may be seen, no entry has another content than the message has now.
 * @param sql a transaction, repeatable read and read only
 * @throws ApiError `BAD_REQUEST`
 */
export async function messageHistory(
  sql: Sql,
  viewer: Reader,
  { id, allowEmptyTopicName }: { readonly id: number; readonly allowEmptyTopicName: boolean },
): Promise<HistoryMoment[]> {
  const { channelId } = await requireMessage(sql, viewer, id);
  const realm = await loadRealm(sql, viewer.realmId);
  if (realm.editHistoryPolicy === "none")
    throw errors.badRequest("This organization shows nobody how messages were before");
  const [row] = await sql.rows(byId, [id, viewer.id]);
  if (!row) throw noSuchMessage();
  const shownOf = await loadHistoryShown(sql, viewer, [row.editHistory]);
  const entries = visibleEntries(shownOf(row) ?? [], realm.editHistoryPolicy);
  const showTopic =
    channelId === null ? (topic: string) => topic : topicShownBy(realm, allowEmptyTopicName);
  return (await moments(row, entries)).map((moment) => ({
    ...moment,
    topic: showTopic(moment.topic),
    ...(moment.prev_topic === undefined ? {} : { prev_topic: showTopic(moment.prev_topic) }),
  }));
}

/** From the newest, of which the message's row says what it was, to how it was sent. */
async function moments(row: Row, entries: readonly EditHistoryEntry[]): Promise<HistoryMoment[]> {
  const newestFirst: HistoryMoment[] = [];
  let { content, renderedContent, topic } = row;
  for (const entry of entries) {
    const { timestamp, user_id } = entry;
    const { prev_content, prev_rendered_content = "", prev_topic, prev_stream, stream } = entry;
    newestFirst.push({
      timestamp,
      user_id,
      topic,
      content,
      rendered_content: renderedContent,
      ...(prev_content === undefined
        ? {}
        : {
            prev_content,
            prev_rendered_content,
            content_html_diff: htmlDifferences(prev_rendered_content, renderedContent),
          }),
      ...(prev_topic === undefined ? {} : { prev_topic }),
      ...(prev_stream === undefined ? {} : { prev_stream }),
      ...(stream === undefined ? {} : { stream }),
    });
    if (prev_content !== undefined)
      [content, renderedContent] = [prev_content, prev_rendered_content];
    topic = prev_topic ?? topic;
    // One comparison takes up to 20 ms.
    if (prev_content !== undefined) await setImmediate();
  }
  const sent = { timestamp: Math.floor(row.sentAt), user_id: row.senderId };
  return [
    { ...sent, topic, content, rendered_content: renderedContent },
    ...newestFirst.toReversed(),
  ];
}
