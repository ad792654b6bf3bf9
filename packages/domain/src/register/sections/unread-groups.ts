import { roles } from "@carillon/contract";
import { composed, notNull, type RowOf, statement, typed } from "@carillon/db";
import { anyMention, isMuted, type Reader, SqlValues } from "@carillon/model";

import { emptyTopicFor, type SnapshotContext } from "../../snapshot-section.ts";

/** Maximum unread messages of a snapshot; older ones are left out (clients.md §3). */
export const maxUnread = 50_000;

/**
 * Driven by the partial index of unread copies, with a key lookup for each message; muting is evaluated once for each
 * topic. Topics are returned as JSON, one row for each channel: 30,000 rows, one for each topic, blocked the event loop
 * for a tenth of a second.
 */
const groups = composed({
  name: "unread-groups",
  overrides: {
    /** By topic; direct messages are in a single one. */
    topics: typed<readonly UnreadTopic[]>(),
    /** Ids of messages that mention the account, by topic; null if there are none. */
    mentions: typed<ReadonlyArray<readonly number[]>>(),
    /** Number of messages that are not muted. */
    counted: notNull,
  },
  compose: (actor: Reader, emptyTopicShown: string, archivedToo: boolean) => {
    const values = new SqlValues();
    const me = values.add(actor.id, "int");
    const emptyTopic = values.add(emptyTopicShown, "text");
    const withArchived = values.add(archivedToo, "bool");
    const text = `WITH newest AS MATERIALIZED (
       SELECT message_id AS id, flags FROM user_messages WHERE user_id = ${me} AND flags & 1 = 0
       ORDER BY message_id DESC LIMIT ${values.add(maxUnread, "int")}
     ), unread AS MATERIALIZED (
       SELECT newest.id, newest.flags, m.recipient_id, m.is_channel, m.topic
       FROM newest CROSS JOIN LATERAL (
         SELECT recipient_id, is_channel, topic FROM messages WHERE messages.id = newest.id OFFSET 0
       ) m
     ), conversation AS MATERIALIZED (
       SELECT m.recipient_id, m.topic, where_to.channel_id, where_to.member_ids,
         CASE WHEN m.topic = '' THEN ${emptyTopic} ELSE m.topic END AS shown,
         ${isMuted(actor, { channels: true })(values)} AS muted
       FROM (SELECT DISTINCT recipient_id, is_channel, topic FROM unread) m
       JOIN recipients where_to ON where_to.id = m.recipient_id
       WHERE where_to.realm_id = ${values.add(actor.realmId, "int")} AND (NOT m.is_channel OR EXISTS (
         SELECT 1 FROM subscriptions s JOIN channels c ON c.id = s.channel_id
         WHERE s.channel_id = where_to.channel_id AND s.user_id = ${me} AND s.active
           AND (${withArchived} OR NOT c.is_archived)))
     ), topic AS (
       SELECT c.recipient_id, c.channel_id, c.member_ids, lower(c.shown) AS key,
         (array_agg(c.shown ORDER BY u.id DESC))[1] AS topic,
         json_agg(u.id ORDER BY u.id) AS ids,
         json_agg(u.id ORDER BY u.id) FILTER (WHERE u.flags & ${anyMention} <> 0) AS mentions,
         count(*) FILTER (WHERE NOT c.muted) AS counted
       FROM unread u JOIN conversation c ON c.recipient_id = u.recipient_id AND c.topic = u.topic
       GROUP BY c.recipient_id, c.channel_id, c.member_ids, key
     )
     SELECT channel_id AS "channelId", member_ids AS "memberIds",
       json_agg(json_build_object('topic', topic, 'ids', ids) ORDER BY key) AS topics,
       json_agg(mentions) FILTER (WHERE mentions IS NOT NULL) AS mentions, sum(counted)::int AS counted
     FROM topic GROUP BY recipient_id, channel_id, member_ids
     ORDER BY channel_id, recipient_id`;
    return { text, values: values.list };
  },
  examples: (compose) => [
    compose({ id: 1, realmId: 1, role: roles.member, isActive: true }, "", true),
  ],
});

interface UnreadTopic {
  /** As sent to the client, in the spelling of the newest message. */
  readonly topic: string;
  /** Ascending */
  readonly ids: number[];
}

/**
 * The unread messages of a channel or of a direct conversation.
 * - `channelId`: null for direct messages.
 * - `memberIds`: all members of the direct conversation, ascending; null for channels.
 * - `topics`: by topic; direct messages are in a single one.
 * - `mentions`: ids of messages that mention the account, by topic; null if there are none.
 * - `counted`: number of messages that are not muted.
 */
export type UnreadGroup = RowOf<typeof groups>;

/**
 * Loads the account's newest unread messages, by conversation. Leaves out channels that it is not subscribed to
 * (messages.md §7), and archived ones for clients that do not support them.
 */
export async function loadUnreadGroups(context: SnapshotContext): Promise<UnreadGroup[]> {
  const { tx, actor, capabilities } = context;
  return groups(tx, actor, emptyTopicFor(context), capabilities.has("archived_channels"));
}

const olderUnread = statement({
  name: "older-unread",
  text: `SELECT FROM user_messages WHERE user_id = $1 AND flags & 1 = 0
    ORDER BY message_id DESC OFFSET $2 LIMIT 1`,
});

/** Whether the account has more unread messages than {@link loadUnreadGroups} loads. */
export async function hasOlderUnread({ tx, actor }: SnapshotContext): Promise<boolean> {
  const older = await tx.rows(olderUnread, [actor.id, maxUnread]);
  return older.length > 0;
}
