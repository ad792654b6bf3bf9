import { packed, statement, type RowOf, type Sql } from "@carillon/db";

import { accessFactsColumns, hasSharedHistorySql } from "../channels/access-sql.ts";

/**
 * A channel with the fields that posting needs.
 * - `subscriberCount`: number of active subscriptions of active accounts.
 */
export interface PostingChannel extends Omit<RowOf<typeof byIds>, "subscribedIds" | "mutedIds"> {
  /** Subscribed accounts among the requested ones and the owners of requested bots, and whether they mute the channel. */
  readonly subscribed: ReadonlyMap<number, { readonly isMuted: boolean }>;
}

/**
 * SQL: reads posting channels. The arrays are opaque to the planner, so that PostgreSQL can use a generic plan, also
 * within a combined statement.
 */
const reading = (channels: string, accounts: string) =>
  `SELECT c.id, c.name, r.id AS "recipientId",
      ${hasSharedHistorySql} AS "historyPublicToSubscribers", c.is_archived AS "isArchived",
      c.topics_policy AS "topicsPolicy", c.first_message_id AS "firstMessageId",
      c.is_recently_active AS "isRecentlyActive", c.subscriber_count AS "subscriberCount",
      c.can_send_message_group_id AS "canSendMessageGroupId", c.can_create_topic_group_id AS "canCreateTopicGroupId",
      ${accessFactsColumns},
      s.ids AS "subscribedIds", s.muted AS "mutedIds"
    FROM channels c JOIN recipients r ON r.channel_id = c.id
    LEFT JOIN LATERAL (
      SELECT array_agg(user_id) AS ids, array_agg(user_id) FILTER (WHERE is_muted) AS muted
      FROM subscriptions s WHERE s.channel_id = c.id AND s.active AND s.user_id = ANY(ARRAY(
        SELECT unnest(${accounts}::int[])
        UNION SELECT bot_owner_id FROM users WHERE id = ANY(ARRAY(SELECT unnest(${accounts}::int[]))) AND is_bot))
    ) s ON true
    WHERE c.realm_id = $1 AND ${channels}`;

const byIds = statement({
  name: "posting-channels",
  text: reading("c.id = ANY(ARRAY(SELECT unnest($2::int[])))", "$3"),
});
/** One channel, the usual case: a scalar allows a generic plan, an array would be planned each time. */
const byId = statement({ name: "posting-channel", text: reading("c.id = $2", "$3") });
const byNames = statement({
  name: "posting-channels-named",
  text: reading("c.name = ANY(ARRAY(SELECT unnest($2::text[])))", "$3"),
});

/** Loads the organization's channels with these ids, by id, and which of the accounts are subscribed to them. */
export async function loadPostingChannels(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
  accountIds: readonly number[],
): Promise<Map<number, PostingChannel>> {
  if (channelIds.length === 0) return new Map();
  const accounts = packed.ints(accountIds);
  const rows = await (channelIds.length === 1
    ? sql.rows(byId, [realmId, channelIds[0], accounts])
    : sql.rows(byIds, [realmId, packed.ints(channelIds), accounts]));
  return new Map(rows.map((row) => [row.id, channelOf(row)]));
}

/** Loads channels by exact names, by name. */
export async function loadPostingChannelsNamed(
  sql: Sql,
  realmId: number,
  names: readonly string[],
  accountIds: readonly number[],
): Promise<Map<string, PostingChannel>> {
  const rows = await sql.rows(byNames, [realmId, names, packed.ints(accountIds)]);
  return new Map(rows.map((row) => [row.name, channelOf(row)]));
}

function channelOf({ subscribedIds, mutedIds, ...channel }: RowOf<typeof byIds>): PostingChannel {
  const muted = new Set(mutedIds);
  const subscribed = new Map(
    (subscribedIds ?? []).map((id) => [id, { isMuted: muted.has(id) }] as const),
  );
  return { subscribed, ...channel };
}
