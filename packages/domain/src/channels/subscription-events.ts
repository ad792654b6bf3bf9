import type { Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { loadChannels, type Channel } from "./channel.ts";
import { loadMetadataAudiences, type MetadataAudiences } from "./metadata-audience.ts";
import {
  loadInheritedNotifications,
  type InheritedNotifications,
} from "./notification-settings.ts";
import { peerEvents } from "./peer-events.ts";
import { loadChannelPresenter } from "./present.ts";
import type { Subscription, SubscriptionPair } from "./subscribe.ts";
import { loadSubscribers, presentSubscription } from "./subscriptions.ts";

/**
 * What is told after accounts were subscribed (channels.md §10): the channel to those of them who did not see it
 * before, their subscriptions to them, and to the others who they are. Accounts whose subscriptions look alike share
 * an event, so that a thousand new subscribers cost two dozen events and not a thousand lists of each other.
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
  const groups = groupAlike(added).map(({ userIds, subscriptions }): NewEvent => {
    const objects = subscriptions.flatMap((subscription) => {
      const channel = after.get(subscription.channelId);
      if (!channel) return [];
      return [presentSubscription(presenter, channel, subscription, subscribersOf(channel.id))];
    });
    return {
      type: "subscription",
      op: "add",
      payload: { subscriptions: objects, inherited: inheritedOf.get(userIds[0]!) },
      audience: userIds,
      ...inheritedByException(userIds, inheritedOf),
    };
  });
  return [...created, ...groups, ...peerEvents("peer_add", added, before)];
}

/** For queues that want to know what null stands for: `inherited` of those to whom it means something else than to the first. */
function inheritedByException(
  [first, ...others]: readonly number[],
  inheritedOf: ReadonlyMap<number, InheritedNotifications>,
): Pick<NewEvent, "userData"> {
  const common = JSON.stringify(inheritedOf.get(first!));
  const exceptions = others.flatMap((id) => {
    const inherited = inheritedOf.get(id);
    return JSON.stringify(inherited) === common ? [] : [[id, { inherited }] as const];
  });
  return exceptions.length > 0 ? { userData: Object.fromEntries(exceptions) } : {};
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
  return channels.flatMap((channel) => {
    const audience = gained.flatMap(({ channelId, userId }) =>
      channelId === channel.id ? [userId] : [],
    );
    return audience.length > 0 ? [channelCreated([presenter.present(channel)], audience)] : [];
  });
}

/** The event that makes channels known to accounts. */
export function channelCreated(channels: readonly object[], audience: readonly number[]): NewEvent {
  return { type: "stream", op: "create", payload: { streams: channels }, audience };
}

/** Accounts with equal subscriptions, in everything but who they are. */
function groupAlike(
  added: readonly Subscription[],
): Array<{ userIds: number[]; subscriptions: readonly Subscription[] }> {
  const byUser = new Map<number, Subscription[]>();
  for (const subscription of added) {
    const list = byUser.get(subscription.userId);
    if (list) list.push(subscription);
    else byUser.set(subscription.userId, [subscription]);
  }
  const groups = new Map<string, { userIds: number[]; subscriptions: readonly Subscription[] }>();
  for (const [userId, subscriptions] of byUser) {
    subscriptions.sort((a, b) => a.channelId - b.channelId);
    const key = JSON.stringify(subscriptions.map((own) => ({ ...own, userId: 0 })));
    const group = groups.get(key);
    if (group) group.userIds.push(userId);
    else groups.set(key, { userIds: [userId], subscriptions });
  }
  return [...groups.values()];
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
  const lost = removed.filter(
    ({ channelId, userId }) =>
      before.get(channelId)?.has(userId) && !after.get(channelId)?.has(userId),
  );
  return [
    ...byChannels(removed).map(({ channelIds, userIds }): NewEvent => ({
      type: "subscription",
      op: "remove",
      payload: {
        subscriptions: channelIds.map((id) => ({ stream_id: id, name: known.get(id)?.name })),
      },
      audience: userIds,
    })),
    ...byChannels(lost).map(({ channelIds, userIds }): NewEvent => ({
      type: "stream",
      op: "delete",
      payload: {
        stream_ids: channelIds,
        streams: channelIds.map((stream_id) => ({ stream_id })),
      },
      audience: userIds,
    })),
    ...peerEvents("peer_remove", removed, after),
  ];
}

/** Accounts with the same channels, together. */
function byChannels(
  pairs: readonly SubscriptionPair[],
): Array<{ channelIds: number[]; userIds: number[] }> {
  const channelsOf = new Map<number, number[]>();
  for (const { userId, channelId } of pairs)
    channelsOf.set(userId, [...(channelsOf.get(userId) ?? []), channelId]);
  const groups = new Map<string, { channelIds: number[]; userIds: number[] }>();
  for (const [userId, ids] of channelsOf) {
    const channelIds = ids.sort((a, b) => a - b);
    const key = channelIds.join(",");
    const group = groups.get(key);
    if (group) group.userIds.push(userId);
    else groups.set(key, { channelIds, userIds: [userId] });
  }
  return [...groups.values()];
}
