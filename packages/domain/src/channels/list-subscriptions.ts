import type { ChannelObject } from "@carillon/contract";
import { type Sql, statement, typed } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  type Account,
  type Channel,
  channelColumns,
  loadChannelPresenter,
  loadSubscribers,
  type OwnFields,
  ownFields,
  type PackedChannel,
  packedChannel,
  type Subscription,
  subscriptionColumns,
  unpackChannel,
} from "@carillon/model";

const own = statement({
  name: "channels-with-subscription-of",
  text: `SELECT ${packedChannel} AS packed, row_to_json(own) AS subscription
    FROM (SELECT ${subscriptionColumns} FROM subscriptions s WHERE s.user_id = $2 AND s.active) own
    JOIN (
      SELECT ${channelColumns} FROM channels c WHERE c.realm_id = $1 AND NOT c.is_archived
    ) channel ON channel.id = own."channelId"
    ORDER BY lower(channel.name)`,
  overrides: { packed: typed<PackedChannel>(), subscription: typed<Subscription>().notNull },
});

/** Lists the account's subscriptions to channels that are not archived, sorted by name (channels.md §8). */
export async function listSubscriptions(
  sql: Sql,
  account: Account,
  wanted: WantedSubscribers,
): Promise<Array<ChannelObject & OwnFields & SubscriberFields>> {
  const rows = await sql.rows(own, [account.realmId, account.id]);
  const listed = await inSlices(rows, ({ packed, subscription }) => ({
    channel: unpackChannel(packed),
    subscription,
  }));
  const channels = listed.map(({ channel }) => channel);
  const presenter = await loadChannelPresenter(sql, account.realmId, channels);
  const subscribersOf = await loadSubscriberFields(sql, wanted, channels);
  return inSlices(listed, ({ channel, subscription }) => ({
    ...presenter.present(channel),
    ...ownFields(subscription),
    ...subscribersOf(channel),
  }));
}

/** The subscribers in a channel object: at most one of the two lists, ids ascending. */
export interface SubscriberFields {
  subscribers?: number[];
  partial_subscribers?: number[];
}

/** The values of `include_subscribers`. */
type WantedSubscribers = boolean | "partial";

type Counted = Pick<Channel, "id" | "subscriberCount">;

/** Minimum subscribers of a channel for which `partial` leaves out inactive ones (events.md §1). */
const largeChannel = 250;

/** Loads the subscribers of the channels as the client requested them. */
export async function loadSubscriberFields(
  sql: Sql,
  wanted: WantedSubscribers,
  channels: readonly Counted[],
): Promise<(channel: Counted) => SubscriberFields> {
  if (wanted === false) return () => ({});
  const isPartial = ({ subscriberCount }: Counted) =>
    wanted === "partial" && subscriberCount >= largeChannel;
  const idsWhere = (partial: boolean) =>
    channels.filter((channel) => isPartial(channel) === partial).map(({ id }) => id);
  const [everybody, some] = await Promise.all([
    loadSubscribers(sql, idsWhere(false)),
    loadRecentSubscribers(sql, idsWhere(true)),
  ]);
  return (channel) =>
    isPartial(channel)
      ? { partial_subscribers: some(channel.id) }
      : { subscribers: everybody(channel.id) };
}

const recent = statement({
  name: "recent-subscribers-of",
  text: `SELECT s.channel_id AS "channelId", array_agg(s.user_id ORDER BY s.user_id) AS ids
    FROM subscriptions s JOIN users u ON u.id = s.user_id LEFT JOIN user_presence p ON p.user_id = s.user_id
    WHERE s.channel_id = ANY($1::int[]) AND s.active AND s.is_user_active
      AND (u.is_bot OR greatest(p.active_at, p.idle_at) > now() - interval '14 days')
    GROUP BY s.channel_id`,
});

/** Loads, for each channel, its bots and the people who were present in the last two weeks. */
async function loadRecentSubscribers(
  sql: Sql,
  channelIds: readonly number[],
): Promise<(channelId: number) => number[]> {
  if (channelIds.length === 0) return () => [];
  const rows = await sql.rows(recent, [channelIds]);
  const byChannel = new Map(rows.map(({ channelId, ids }) => [channelId, ids]));
  return (channelId) => byChannel.get(channelId) ?? [];
}
