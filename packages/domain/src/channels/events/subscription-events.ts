import {
  type Channel,
  type MetadataAudiences,
  type Subscription,
  type SubscriptionPair,
  loadChannelPresenter,
  loadChannels,
  loadInheritedNotifications,
  loadMetadataAudiences,
  loadSubscribers,
} from "@carillon/model";
import { type NewEvent, subscriptionsRemoved } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { archivedAmong, channelsGoneEvent, channelsShownEvent } from "./channel-events.ts";
import { peerEvents } from "./peer-events.ts";
import { subscribedEvent } from "./subscribed-event.ts";

/**
 * What is told after accounts were subscribed (channels.md §10): the channel to those of them who did not see it
 * before, their subscriptions to them, and to the others who they are. The number of events depends on who sees the
 * channels, not on how many accounts and channels there are.
 * @param channels as they were before
 * @param before who saw the channels before
 */
export async function subscribedEvents(
  sql: Sql,
  realmId: number,
  channels: readonly Channel[],
  added: readonly Subscription[],
  before: MetadataAudiences,
): Promise<NewEvent[]> {
  if (added.length === 0) return [];
  const created = await gainedEvents(sql, realmId, channels, added, before);
  const ids = [...new Set(added.map(({ channelId }) => channelId))];
  const after = await loadChannels(sql, realmId, ids);
  const [presenter, subscribersOf, inheritedOf] = await Promise.all([
    loadChannelPresenter(sql, realmId, [...after.values()]),
    loadSubscribers(sql, ids),
    loadInheritedNotifications(sql, realmId, [...new Set(added.map(({ userId }) => userId))]),
  ]);
  const objects = await inSlices([...after.values()], (channel) => {
    const object = { ...presenter.present(channel), subscribers: subscribersOf(channel.id) };
    return [channel.id, object] as const;
  });
  return [
    ...created,
    ...subscribedEvent(added, new Map(objects), inheritedOf),
    ...peerEvents("peer_add", added, before),
  ];
}

async function gainedEvents(
  sql: Sql,
  realmId: number,
  channels: readonly Channel[],
  added: readonly SubscriptionPair[],
  before: MetadataAudiences,
): Promise<NewEvent[]> {
  const gained = added.filter(({ channelId, userId }) => !before.get(channelId)?.has(userId));
  if (gained.length === 0) return [];
  const presenter = await loadChannelPresenter(sql, realmId, channels);
  const known = new Map(channels.map((channel) => [channel.id, channel]));
  return byUsers(gained).map(({ channelIds, userIds }) =>
    channelsShownEvent(
      channelIds.flatMap((id) => {
        const channel = known.get(id);
        return channel ? [presenter.present(channel)] : [];
      }),
      userIds,
    ),
  );
}

/**
 * What is told after accounts were unsubscribed: that to them, then that the channel is gone to those who do not see
 * it any more, and to the others who they were.
 * @param before who saw the channels before
 */
export async function unsubscribedEvents(
  sql: Sql,
  realmId: number,
  channels: readonly Channel[],
  removed: readonly SubscriptionPair[],
  before: MetadataAudiences,
): Promise<NewEvent[]> {
  if (removed.length === 0) return [];
  const after = await loadMetadataAudiences(
    sql,
    realmId,
    channels.map(({ id }) => id),
  );
  const known = new Map(channels.map((channel) => [channel.id, channel]));
  const among = (ids: readonly number[]) => ids.flatMap((id) => known.get(id) ?? []);
  const lost = removed.filter(
    ({ channelId, userId }) =>
      before.get(channelId)?.has(userId) && !after.get(channelId)?.has(userId),
  );
  return [
    ...byChannels(removed).map(({ channelIds, userIds }) => {
      const left = among(channelIds);
      const subscriptions = left.map(({ id, name }) => ({ stream_id: id, name }));
      return subscriptionsRemoved({ subscriptions, ...archivedAmong(left) }, { audience: userIds });
    }),
    ...byChannels(lost).map(({ channelIds, userIds }) =>
      channelsGoneEvent(among(channelIds), userIds),
    ),
    ...peerEvents("peer_remove", removed, after, archivedAmong(channels)),
  ];
}

/** Accounts with the same channels, together. */
function byChannels(
  pairs: readonly SubscriptionPair[],
): Array<{ channelIds: number[]; userIds: number[] }> {
  return alike(pairs, "userId", "channelId").map(([userIds, channelIds]) => ({
    channelIds,
    userIds,
  }));
}

/** Channels with the same accounts, together. */
function byUsers(
  pairs: readonly SubscriptionPair[],
): Array<{ channelIds: number[]; userIds: number[] }> {
  return alike(pairs, "channelId", "userId").map(([channelIds, userIds]) => ({
    channelIds,
    userIds,
  }));
}

/** Those of the one kind that go with the same ones of the other. */
function alike(
  pairs: readonly SubscriptionPair[],
  one: keyof SubscriptionPair,
  other: keyof SubscriptionPair,
): Array<[ones: number[], others: number[]]> {
  const othersOf = new Map<number, number[]>();
  for (const pair of pairs) {
    const others = othersOf.get(pair[one]);
    if (others) others.push(pair[other]);
    else othersOf.set(pair[one], [pair[other]]);
  }
  const groups = new Map<string, [number[], number[]]>();
  for (const [id, others] of othersOf) {
    const key = others.sort((a, b) => a - b).join(",");
    const group = groups.get(key);
    if (group) group[0].push(id);
    else groups.set(key, [[id], others]);
  }
  return [...groups.values()];
}
