import type { ChannelObject, SubscriptionObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { type Subscription, subscriptionColumns } from "./subscribe.ts";

/** What an account wants of a channel, as clients see it. */
export type OwnFields = Omit<SubscriptionObject, keyof ChannelObject | "subscribers">;

/** What the account wants of the channel. */
export function ownFields(subscription: Subscription): OwnFields {
  return {
    color: subscription.color,
    is_muted: subscription.isMuted,
    in_home_view: !subscription.isMuted,
    pin_to_top: subscription.pinToTop,
    desktop_notifications: subscription.desktopNotifications,
    audible_notifications: subscription.audibleNotifications,
    push_notifications: subscription.pushNotifications,
    email_notifications: subscription.emailNotifications,
    wildcard_mentions_notify: subscription.wildcardMentionsNotify,
  };
}

const subscribers = statement({
  name: "subscribers-of",
  text: `SELECT channel_id AS "channelId", array_agg(user_id ORDER BY user_id) AS ids FROM subscriptions
    WHERE channel_id = ANY($1::int[]) AND active AND is_user_active GROUP BY channel_id`,
  row: { channelId: column.int, ids: column.ints },
});

/** The active subscribers of each channel, ascending. */
export async function loadSubscribers(
  sql: Sql,
  channelIds: readonly number[],
): Promise<(channelId: number) => number[]> {
  if (channelIds.length === 0) return () => [];
  const rows = await sql.rows(subscribers, [channelIds]);
  const byChannel = new Map(rows.map(({ channelId, ids }) => [channelId, ids]));
  return (channelId) => byChannel.get(channelId) ?? [];
}

/** Rows come as JSON, one text for 500, since the driver reads all rows of an answer in one go. */
const ofChannel = statement({
  name: "subscriptions-of-channel",
  text: `SELECT json_agg(each)::text AS subscriptions
    FROM (
      SELECT ${subscriptionColumns}, (row_number() OVER (ORDER BY s.user_id) - 1) / 500 AS slice
      FROM subscriptions s WHERE s.channel_id = $1 AND s.active AND s.is_user_active
    ) each GROUP BY slice ORDER BY slice`,
  row: { subscriptions: column.text },
});

/** The subscriptions of active accounts to the channel. */
export async function loadSubscriptions(sql: Sql, channelId: number): Promise<Subscription[]> {
  const slices = await sql.rows(ofChannel, [channelId]);
  const parsed = await inSlices(slices, (one) => JSON.parse(one.subscriptions) as Subscription[]);
  return parsed.flat();
}

const ownSubscriptions = statement({
  name: "channels-subscribed-to",
  text: `SELECT s.user_id AS "userId", s.channel_id AS "channelId" FROM subscriptions s
    WHERE s.user_id = ANY($1::int[]) AND s.active`,
  row: { userId: column.int, channelId: column.int },
});

/** Which of the accounts are subscribed to which channels. */
export async function loadSubscribedChannels(
  sql: Sql,
  userIds: readonly number[],
): Promise<(userId: number, channelId: number) => boolean> {
  const rows = await sql.rows(ownSubscriptions, [userIds]);
  const pairs = new Set(rows.map(({ userId, channelId }) => `${userId}:${channelId}`));
  return (userId, channelId) => pairs.has(`${userId}:${channelId}`);
}
