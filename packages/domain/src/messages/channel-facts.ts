import type { Sql } from "@carillon/db";

/** A channel as posting needs it. */
export interface PostingChannel {
  readonly id: number;
  readonly name: string;
  readonly recipientId: number;
  readonly inviteOnly: boolean;
  readonly isWebPublic: boolean;
  readonly historyPublicToSubscribers: boolean;
  readonly isArchived: boolean;
  readonly topicsPolicy: string;
  readonly firstMessageId: number | null;
  readonly isRecentlyActive: boolean;
  /** Active subscriptions of active accounts. */
  readonly subscriberCount: number;
  readonly canSendMessageGroupId: number;
  readonly canCreateTopicGroupId: number;
  readonly canAddSubscribersGroupId: number;
  readonly canSubscribeGroupId: number;
  /** Those of the accounts asked for who are subscribed, whether they mute the channel. */
  readonly subscribed: ReadonlyMap<number, { readonly isMuted: boolean }>;
}

type Row = Omit<PostingChannel, "subscribed"> & {
  subscribedIds: number[] | null;
  mutedIds: number[] | null;
};

const reading = (channels: string, accounts: string) =>
  `SELECT c.id, c.name, r.id AS "recipientId", c.invite_only AS "inviteOnly", c.is_web_public AS "isWebPublic",
      c.history_public_to_subscribers AS "historyPublicToSubscribers", c.is_archived AS "isArchived",
      c.topics_policy AS "topicsPolicy", c.first_message_id AS "firstMessageId",
      c.is_recently_active AS "isRecentlyActive", c.subscriber_count AS "subscriberCount",
      c.can_send_message_group_id AS "canSendMessageGroupId", c.can_create_topic_group_id AS "canCreateTopicGroupId",
      c.can_add_subscribers_group_id AS "canAddSubscribersGroupId", c.can_subscribe_group_id AS "canSubscribeGroupId",
      s.ids AS "subscribedIds", s.muted AS "mutedIds"
    FROM channels c JOIN recipients r ON r.channel_id = c.id
    LEFT JOIN LATERAL (
      SELECT array_agg(user_id) AS ids, array_agg(user_id) FILTER (WHERE is_muted) AS muted
      FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id ${accounts} AND s.active
    ) s ON true
    WHERE c.realm_id = $1 AND c.id ${channels}`;

const byIds = { name: "posting-channels", text: reading("= ANY($2::int[])", "= ANY($3::int[])") };
/** One channel and up to two accounts, as for a message that is sent by hand: PostgreSQL plans it once, an array each time. */
const byId = { name: "posting-channel", text: reading("= $2", "IN ($3, $4)") };

/** The organization's channels with these ids, by id, and which of the accounts are subscribed to them. */
export async function loadPostingChannels(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
  accountIds: readonly number[],
): Promise<Map<number, PostingChannel>> {
  if (channelIds.length === 0) return new Map();
  const [first, second = first, ...others] = accountIds;
  const rows = await (channelIds.length === 1 && others.length === 0
    ? sql.rows<Row>(byId, [realmId, channelIds[0], first, second])
    : sql.rows<Row>(byIds, [realmId, channelIds, accountIds]));
  return new Map(
    rows.map(({ subscribedIds, mutedIds, ...channel }) => {
      const muted = new Set(mutedIds);
      const subscribed = new Map(
        (subscribedIds ?? []).map((id) => [id, { isMuted: muted.has(id) }] as const),
      );
      return [channel.id, { ...channel, subscribed }];
    }),
  );
}
