import {
  type ChannelObject,
  type LoggedFields,
  type NewEvent,
  type OwnFieldsOf,
  type SubscriptionObject,
  subscriptionsAdded,
  subscriptionsRemoved,
} from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  type Channel,
  type InheritedNotifications,
  loadChannelPresenter,
  loadChannels,
  loadInheritedNotifications,
  loadMetadataAudiences,
  loadSubscribers,
  type MetadataAudiences,
  type OwnFields,
  ownFields,
  type Subscription,
  type SubscriptionPair,
} from "@carillon/model";

import { archivedAmong, channelsHiddenEvent, channelsShownEvent } from "./channel-events.ts";
import { peerEvents } from "./peer-events.ts";

/**
 * Makes the events of new subscriptions (channels.md §10): the channel for subscribers that could not see it before,
 * the subscriptions for the subscribers, and the new subscribers for the other accounts. The number of events depends
 * on the channels' audiences, not on the number of accounts and channels.
 * @param channels as they were before the change
 * @param before the channels' audiences before the change
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
 * Makes the events of ended subscriptions: the end of the subscriptions for the accounts themselves, the channel's
 * deletion for accounts that can no longer see it, and the lost subscribers for the other accounts.
 * @param before the channels' audiences before the change
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
      channelsHiddenEvent(among(channelIds), userIds),
    ),
    ...peerEvents("peer_remove", removed, after, archivedAmong(channels)),
  ];
}

/** Groups accounts with the same channels. */
function byChannels(
  pairs: readonly SubscriptionPair[],
): Array<{ channelIds: number[]; userIds: number[] }> {
  return groupByPartners(pairs, "userId", "channelId").map(([userIds, channelIds]) => ({
    channelIds,
    userIds,
  }));
}

/** Groups channels with the same accounts. */
function byUsers(
  pairs: readonly SubscriptionPair[],
): Array<{ channelIds: number[]; userIds: number[] }> {
  return groupByPartners(pairs, "channelId", "userId").map(([channelIds, userIds]) => ({
    channelIds,
    userIds,
  }));
}

/** Groups the ids of one kind that are paired with the same ids of the other kind. */
function groupByPartners(
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

/** The part of the event that differs between receivers. */
type OwnSubscriptions = OwnFieldsOf<typeof subscriptionsAdded>;

/**
 * Makes one event for all new subscriptions. The log stores the channels, their lists of subscribers, and the settings
 * of the first account of each channel once; for other accounts it stores the differences. One event for each account,
 * or for each group of equal accounts, would grow with accounts × channels × subscribers.
 * @param channels by id, with their subscribers; missing ones are left out
 * @param marks set if only some clients receive the event
 */
export function subscribedEvent(
  added: readonly Subscription[],
  channels: ReadonlyMap<number, ChannelObject & { subscribers: number[] }>,
  inheritedOf: ReadonlyMap<number, InheritedNotifications>,
  marks: Pick<LoggedFields<typeof subscriptionsAdded>, "for_clients_without"> = {},
): NewEvent[] {
  const visibleTo = added.filter(({ channelId }) => channels.has(channelId));
  const common = new Map<number, Subscription>();
  const channelsOf = new Map<number, number>();
  const settingsOf = new Map<number, Record<string, Settings>>();
  // Allocates few objects for each account: there may be thousands.
  for (const subscription of visibleTo) {
    const { userId, channelId } = subscription;
    channelsOf.set(userId, (channelsOf.get(userId) ?? 0) + 1);
    const usual = common.get(channelId);
    if (!usual) common.set(channelId, subscription);
    else if (!isAlike(subscription, usual)) {
      const settings = settingsOf.get(userId) ?? {};
      settings[channelId] = difference(subscription, usual);
      settingsOf.set(userId, settings);
    }
  }
  const audience = [...channelsOf.keys()];
  const inherited = inheritedOf.get(audience[0]!);
  if (!inherited) return [];
  const subscriptions = [...common]
    .sort(([a], [b]) => a - b)
    .flatMap(([id, subscription]) => {
      const channel = channels.get(id);
      return channel ? [inOrder(channel, ownFields(subscription))] : [];
    });
  const onlyOf = listed(visibleTo, (userId) => (channelsOf.get(userId) ?? 0) < common.size);
  const userData: Record<string, OwnSubscriptions> = {};
  for (const userId of audience) {
    const [only, settings, theirs] = [
      onlyOf.get(userId),
      settingsOf.get(userId),
      inheritedOf.get(userId),
    ];
    const isUnlike = theirs !== undefined && theirs !== inherited;
    if (only || settings || isUnlike)
      userData[userId] = {
        ...(only ? { only } : {}),
        ...(settings ? { settings } : {}),
        ...(isUnlike ? { inherited: theirs } : {}),
      };
  }
  const own = Object.keys(userData).length > 0 ? { userData } : {};
  return [subscriptionsAdded({ subscriptions, inherited, ...marks }, { audience, ...own })];
}

function inOrder(
  { subscribers, ...channel }: ChannelObject & { subscribers: number[] },
  fields: OwnFields,
): SubscriptionObject & { subscribers: number[] } {
  return { ...channel, ...fields, subscribers };
}

type Settings = NonNullable<OwnSubscriptions["settings"]>[string];

const settingNames = [
  "color",
  "isMuted",
  "pinToTop",
  "desktopNotifications",
  "audibleNotifications",
  "pushNotifications",
  "emailNotifications",
  "wildcardMentionsNotify",
] as const;

function isAlike(one: Subscription, other: Subscription): boolean {
  return settingNames.every((name) => one[name] === other[name]);
}

/** Returns the account's settings that differ from the common ones. */
function difference(subscription: Subscription, usual: Subscription): Settings {
  const [own, common] = [ownFields(subscription), ownFields(usual)];
  const names = Object.keys(own) as Array<keyof OwnFields>;
  return Object.fromEntries(
    names.filter((name) => own[name] !== common[name]).map((name) => [name, own[name]]),
  );
}

/** Lists the channels of the accounts selected by `isWanted`. */
function listed(
  pairs: readonly SubscriptionPair[],
  isWanted: (userId: number) => boolean,
): Map<number, number[]> {
  const lists = new Map<number, number[]>();
  for (const { userId, channelId } of pairs) {
    if (!isWanted(userId)) continue;
    const list = lists.get(userId);
    if (list) list.push(channelId);
    else lists.set(userId, [channelId]);
  }
  return lists;
}
