import {
  type Audience,
  type ChannelObject,
  type LoggedFields,
  type NewEvent,
  type OwnFieldsOf,
  peersAdded,
  peersRemoved,
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

import { archivedAmong, channelsGoneEvent, channelsShownEvent } from "./channel-events.ts";

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

/** What one receiver's subscriptions have of their own. */
type OwnSubscriptions = OwnFieldsOf<typeof subscriptionsAdded>;

/**
 * The event that tells accounts of their new subscriptions, one for all of them: the channels and the lists of their
 * subscribers lie in the log once, with the settings of the first account that has each; of the others it keeps what
 * differs. An event for each account, or for each that looks alike, would be accounts × channels × subscribers.
 * @param channels by id, with their subscribers; what is not there is not told
 * @param marks of an event that only some clients are told
 */
export function subscribedEvent(
  added: readonly Subscription[],
  channels: ReadonlyMap<number, ChannelObject & { subscribers: number[] }>,
  inheritedOf: ReadonlyMap<number, InheritedNotifications>,
  marks: Pick<LoggedFields<typeof subscriptionsAdded>, "for_clients_without"> = {},
): NewEvent[] {
  const told = added.filter(({ channelId }) => channels.has(channelId));
  const common = new Map<number, Subscription>();
  const channelsOf = new Map<number, number>();
  const settingsOf = new Map<number, Record<string, Settings>>();
  // Few objects for each account: there may be thousands.
  for (const subscription of told) {
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
  const onlyOf = listed(told, (userId) => (channelsOf.get(userId) ?? 0) < common.size);
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

/** What of an account's settings is not as the log has it for everybody. */
function difference(subscription: Subscription, usual: Subscription): Settings {
  const [own, common] = [ownFields(subscription), ownFields(usual)];
  const names = Object.keys(own) as Array<keyof OwnFields>;
  return Object.fromEntries(
    names.filter((name) => own[name] !== common[name]).map((name) => [name, own[name]]),
  );
}

/** The channels of those accounts for which that is asked. */
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

/** What else the log keeps of peers. */
type PeerMarks = Pick<LoggedFields<typeof peersAdded>, "archived" | "for_clients_without">;

/** Accounts that were subscribed to channels, or unsubscribed from them. */
interface Peers {
  readonly stream_ids: readonly number[];
  readonly user_ids: readonly number[];
}

/**
 * What others are told when accounts are subscribed or unsubscribed (channels.md §10): one event for all channels
 * with the same audience, which queues get as one for each set of accounts; never the accounts themselves. Who comes
 * gets the others with the subscription; who goes together with others is told of these, where the channel still shows.
 * @param archived which channels are, where some may be
 */
export function peerEvents(
  op: "peer_add" | "peer_remove",
  changed: readonly SubscriptionPair[],
  audiences: MetadataAudiences,
  { archived = [] }: Pick<PeerMarks, "archived"> = {},
): NewEvent[] {
  const areArchived = new Set(archived);
  const usersOf = new Map<number, number[]>();
  for (const { channelId, userId } of changed) {
    const users = usersOf.get(channelId);
    if (users) users.push(userId);
    else usersOf.set(channelId, [userId]);
  }
  const batches = new Map<ReadonlySet<number>, Map<string, Batch>>();
  for (const [channelId, ids] of usersOf) {
    const user_ids = ids.sort((a, b) => a - b);
    const audience = audiences.get(channelId) ?? new Set<number>();
    const byUsers = batches.get(audience) ?? new Map<string, Batch>();
    batches.set(audience, byUsers);
    const key = user_ids.join(",");
    const batch = byUsers.get(key);
    if (batch) batch.stream_ids.push(channelId);
    else byUsers.set(key, { stream_ids: [channelId], user_ids });
  }
  return [...batches].flatMap(([audience, byUsers]) =>
    peersEvent(
      op,
      audience,
      [...byUsers.values()].map(({ stream_ids, user_ids }) => ({
        stream_ids: stream_ids.sort((a, b) => a - b),
        user_ids,
      })),
      areArchived,
    ),
  );
}

interface Batch extends Peers {
  readonly stream_ids: number[];
}

function peersEvent(
  op: "peer_add" | "peer_remove",
  audience: ReadonlySet<number>,
  [first, ...others]: readonly Peers[],
  archived: ReadonlySet<number>,
): NewEvent[] {
  if (!first) return [];
  const altered = new Set(first.user_ids);
  // With several batches, who is altered in one is told of the others, and those who go of each other: the poll sorts
  // that out.
  const isForAltered = others.length > 0 || (op === "peer_remove" && altered.size > 1);
  const told = isForAltered ? [...audience] : [...audience].filter((id) => !altered.has(id));
  if (told.length === 0) return [];
  const event = op === "peer_add" ? peersAdded : peersRemoved;
  const payload = isForAltered ? { peers: [first, ...others] } : first;
  const marks = archivedIn([first, ...others], archived);
  return [event({ ...payload, ...marks }, { audience: told })];
}

/** Those of the archived channels that the event is about. */
function archivedIn(peers: readonly Peers[], archived: ReadonlySet<number>): PeerMarks {
  const ids = peers.flatMap(({ stream_ids }) => stream_ids.filter((id) => archived.has(id)));
  return ids.length > 0 ? { archived: ids } : {};
}

/** Who is subscribed to channels, for accounts that have come to see these. */
export function peersShownEvent(peers: Peers, audience: Audience, marks: PeerMarks = {}): NewEvent {
  const { archived = [], ...others } = marks;
  return peersAdded(
    { ...peers, ...others, ...archivedIn([peers], new Set(archived)) },
    { audience },
  );
}
