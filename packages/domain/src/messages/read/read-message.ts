import { setImmediate } from "node:timers/promises";

import {
  type EditHistoryEntry,
  errors,
  type HistoryMoment,
  type MessageResource,
  type ProgramNeed,
} from "@carillon/contract";
import { type RowOf, type Sql, statement, typed } from "@carillon/db";
import { htmlDifferences } from "@carillon/markdown";
import {
  isDeferred,
  flag,
  loadHistoryShown,
  loadRealm,
  noSuchMessage,
  presentMessage,
  type Reader,
  requireMessage,
  switchSql,
  topicShownBy,
  visibleEntries,
} from "@carillon/model";

import { hydrate, loadMessages } from "./hydrate.ts";

interface MessageRequest {
  readonly id: number;
  readonly applyMarkdown: boolean;
  readonly allowEmptyTopicName: boolean;
  /** Needs of the client program. */
  readonly needs: readonly ProgramNeed[];
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
}

/** The response of `GET /messages/{message_id}` in the wire format. */
interface MessageAnswer {
  message: MessageResource;
  raw_content: string;
}

/**
 * Retrieves one message that the viewer may access (messages.md §6.1).
 * @param sql a REPEATABLE READ, READ ONLY transaction
 * @throws ApiError `BAD_REQUEST`
 */
export async function readMessage(
  sql: Sql,
  viewer: Reader,
  request: MessageRequest,
): Promise<MessageAnswer> {
  await requireMessage(sql, viewer, request.id);
  const [realm, loaded] = await Promise.all([
    loadRealm(sql, viewer.realmId),
    loadMessages(sql, viewer, [request.id], request.needs),
  ]);
  const [found] = await hydrate(loaded);
  if (!found) throw noSuchMessage();
  return {
    message: presentMessage(found.message, found.flags, {
      ...request,
      realm,
      viewer,
      userVisibility: loaded.userVisibility,
      clientGravatar: true,
    }),
    raw_content: found.message.content,
  };
}

/**
 * Copies are keyed by account (docs/decisions/020), so the statement looks them up for the possible holders:
 * accounts with an active or former subscription to the channel, the members of the conversation, and holders of
 * `historical` copies.
 */
const readers = statement({
  name: "read-receipts",
  text: `WITH possible AS (
      SELECT s.user_id FROM subscriptions s WHERE s.channel_id = $3
      UNION SELECT unnest($4::int[])
      UNION SELECT um.user_id FROM user_messages um
        WHERE um.message_id = $2 AND um.flags & ${flag.historical} <> 0
    ), reader AS (
      SELECT possible.user_id FROM possible JOIN user_messages um ON um.user_id = possible.user_id AND um.message_id = $2
      WHERE um.flags & ${flag.read} <> 0
      UNION SELECT s.user_id FROM subscriptions s WHERE s.channel_id = $3 AND s.deferred_read AND ${isDeferred("$2")}
        AND NOT EXISTS (SELECT FROM user_messages um WHERE um.user_id = s.user_id AND um.message_id = $2)
        AND NOT EXISTS (SELECT FROM messages m WHERE m.id = $2 AND m.changed_channel)
    )
    SELECT coalesce(array_agg(u.id ORDER BY u.id), '{}') AS ids
    FROM reader JOIN users u ON u.id = reader.user_id
    WHERE u.is_active AND u.id <> $5 AND ${switchSql("send_read_receipts")}
      AND NOT EXISTS (SELECT FROM muted_users m WHERE m.user_id = $1 AND m.muted_user_id = u.id)
      AND NOT EXISTS (SELECT FROM muted_users m WHERE m.user_id = u.id AND m.muted_user_id = $1)`,
});

/**
 * Returns the accounts that have read the message and send read receipts (messages.md §6.6), ascending.
 * @param sql a REPEATABLE READ, READ ONLY transaction
 * @throws ApiError `BAD_REQUEST`
 */
export async function readReceipts(sql: Sql, viewer: Reader, id: number): Promise<number[]> {
  const { channelId, memberIds, senderId } = await requireMessage(sql, viewer, id);
  const { enableReadReceipts } = await loadRealm(sql, viewer.realmId);
  if (!enableReadReceipts) throw errors.badRequest("This organization has disabled read receipts");
  const [row] = await sql.rows(readers, [viewer.id, id, channelId, memberIds ?? [], senderId]);
  return row?.ids ?? [];
}

const byId = statement({
  name: "message-with-history",
  text: `SELECT sender_id AS "senderId", CASE WHEN is_channel THEN topic ELSE '' END AS topic, content,
      rendered_content AS "renderedContent", extract(epoch FROM sent_at)::float8 AS "sentAt",
      edit_history AS "editHistory",
      EXISTS (SELECT FROM user_messages um WHERE um.user_id = $2 AND um.message_id = $1) AS received
    FROM messages WHERE id = $1`,
  overrides: { editHistory: typed<readonly EditHistoryEntry[]>() },
});

type Row = RowOf<typeof byId>;

/**
 * Returns the versions of a message (messages.md §6.3), oldest first, beginning with the original. If the message came
 * from a channel that the viewer may not read, its history begins with that move. If the organization shows only moves,
 * every version has the current content.
 * @param sql a REPEATABLE READ, READ ONLY transaction
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
    throw errors.badRequest("This organization has disabled the edit history of messages");
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

/**
 * Rebuilds the versions backwards: the message's row has the newest one, and each history entry has what it replaced.
 */
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
