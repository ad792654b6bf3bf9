import { type ChannelObject, personalSettings, type SubscriptionObject } from "@carillon/contract";
import { notNull, type Sql, statement, typed } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { type Subscription, subscriptionColumns } from "./subscribe.ts";

/** The account's own properties of a subscription in the wire format. */
export type OwnFields = Omit<SubscriptionObject, keyof ChannelObject | "subscribers">;

/** Converts a subscription to its wire format. */
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
});

/** Loads the active subscribers of each channel, ascending. */
export async function loadSubscribers(
  sql: Sql,
  channelIds: readonly number[],
): Promise<(channelId: number) => number[]> {
  if (channelIds.length === 0) return () => [];
  const rows = await sql.rows(subscribers, [channelIds]);
  const byChannel = new Map(rows.map(({ channelId, ids }) => [channelId, ids]));
  return (channelId) => byChannel.get(channelId) ?? [];
}

/** Rows are returned as JSON, one text for 500 rows, because the driver parses all rows of a result at once. */
const ofChannel = statement({
  name: "subscriptions-of-channel",
  text: `SELECT json_agg(each)::text AS subscriptions
    FROM (
      SELECT ${subscriptionColumns}, (row_number() OVER (ORDER BY s.user_id) - 1) / 500 AS slice
      FROM subscriptions s WHERE s.channel_id = $1 AND s.active AND s.is_user_active
    ) each GROUP BY slice ORDER BY slice`,
});

/** Loads the subscriptions of active accounts to the channel. */
export async function loadSubscriptions(sql: Sql, channelId: number): Promise<Subscription[]> {
  const slices = await sql.rows(ofChannel, [channelId]);
  const parsed = await inSlices(slices, (one) => JSON.parse(one.subscriptions) as Subscription[]);
  return parsed.flat();
}

const ownSubscriptions = statement({
  name: "channels-subscribed-to",
  text: `SELECT s.user_id AS "userId", s.channel_id AS "channelId" FROM subscriptions s
    WHERE s.user_id = ANY($1::int[]) AND s.active`,
});

/** Loads which of the accounts are subscribed to which channels. */
export async function loadSubscribedChannels(
  sql: Sql,
  userIds: readonly number[],
): Promise<(userId: number, channelId: number) => boolean> {
  const rows = await sql.rows(ownSubscriptions, [userIds]);
  const pairs = new Set(rows.map(({ userId, channelId }) => `${userId}:${channelId}`));
  return (userId, channelId) => pairs.has(`${userId}:${channelId}`);
}

/** The personal setting from which each notification setting of a subscription inherits while it is null. */
const inheritedFrom = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const;

type NotificationSetting = keyof typeof inheritedFrom;

/** The settings that an account's subscriptions inherit. */
export type InheritedNotifications = Readonly<Record<NotificationSetting, boolean>>;

const settings = Object.entries(inheritedFrom) as ReadonlyArray<
  [NotificationSetting, (typeof inheritedFrom)[NotificationSetting]]
>;

/** Unpacks each account's settings once for all columns, because unpacking is the expensive part. */
const byIds = statement({
  name: "inherited-notifications",
  text: `SELECT jsonb_build_object(${settings.map(([name]) => `'${name}', ${name}`).join(", ")}) AS inherited, ids FROM (
      SELECT ${settings
        .map(([name, from]) => `coalesce(s.${from}, ${personalSettings[from].initial}) AS ${name}`)
        .join(", ")}, array_agg(u.id) AS ids
      FROM users u, jsonb_to_record(u.settings) AS s (${settings.map(([, from]) => `${from} bool`).join(", ")})
      WHERE u.realm_id = $1 AND u.id = ANY($2::int[])
      GROUP BY ${settings.map((_, i) => i + 1).join(", ")}
    ) each`,
  overrides: { inherited: typed<InheritedNotifications>(), ids: notNull },
});

/**
 * Loads the settings that the accounts' subscriptions inherit, by account; accounts with equal settings share one
 * object.
 */
export async function loadInheritedNotifications(
  sql: Sql,
  realmId: number,
  userIds: readonly number[],
): Promise<Map<number, InheritedNotifications>> {
  const rows = await sql.rows(byIds, [realmId, userIds]);
  const byAccount = new Map<number, InheritedNotifications>();
  for (const { ids, inherited } of rows) for (const id of ids) byAccount.set(id, inherited);
  return byAccount;
}

type NotificationSettings = { readonly [Name in NotificationSetting]: boolean | null | undefined };

/** Fills inherited settings in, for clients that do not support null (`notification_settings_null`, events.md §1.1). */
export function fillNotifications<Subscribed extends NotificationSettings>(
  subscription: Subscribed,
  inherited: InheritedNotifications,
): Subscribed {
  const filled = settings.map(([name]) => [name, subscription[name] ?? inherited[name]] as const);
  return { ...subscription, ...Object.fromEntries(filled) };
}
