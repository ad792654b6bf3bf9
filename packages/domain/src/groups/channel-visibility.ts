import {
  accessFactsColumns,
  hasMetadataAccess,
  isPrivateSql,
  loadPermissionClasses,
  showingGroups,
} from "@carillon/model";
import { statement, typed, type RowOf, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelsHiddenEvent } from "../channel-events/channel-events.ts";
import { channelsShown } from "../channel-events/channels-seen.ts";
type ChannelFacts = RowOf<typeof seenByGroups>;

/**
 * The private channels that each account can see without a subscription. Accounts with equal channels share the set.
 */
type VisibleChannels = ReadonlyMap<number, ReadonlySet<number>>;

/** Private channels with permissions for groups that are about to change, and which accounts can see them now. */
export interface WatchedChannels {
  readonly realmId: number;
  readonly channels: readonly ChannelFacts[];
  readonly userIds: readonly number[];
  readonly before: VisibleChannels;
}

const seenByGroups = statement({
  name: "private-channels-of-groups",
  text: `SELECT c.id, c.is_archived AS "isArchived", ${accessFactsColumns}
    FROM channels c WHERE c.realm_id = $1 AND ${isPrivateSql} AND ${showingGroups} && $2::int[]
    ORDER BY c.id`,
});

/**
 * Loads the channels' visibility before a change of groups.
 * @param groupIds all groups whose members may change, from `loadSupergroups`
 * @param userIds accounts whose memberships may change
 */
export async function watchChannels(
  tx: Tx,
  realmId: number,
  groupIds: readonly number[],
  userIds: readonly number[],
): Promise<WatchedChannels> {
  const channels = await tx.rows(seenByGroups, [realmId, groupIds]);
  return {
    realmId,
    channels,
    userIds,
    before: await loadVisibleChannels(tx, realmId, channels, userIds),
  };
}

/** Accounts, and the channels that all of them gain or lose. */
interface VisibilityChange {
  readonly channelIds: number[];
  readonly userIds: readonly number[];
}

/**
 * Makes the events for accounts that gain or lose channels (user-groups.md §5.5): first the lost channels, then the
 * gained ones with their subscribers. Subscribers get no events here, because they always see their channels.
 */
export async function visibilityEvents(
  tx: Tx,
  { realmId, channels, userIds, before }: WatchedChannels,
): Promise<NewEvent[]> {
  if (channels.length === 0 || userIds.length === 0) return [];
  const after = await loadVisibleChannels(tx, realmId, channels, userIds);
  const isSubscribed = await loadSubscribed(tx, channels, userIds);
  const known = new Map(channels.map((channel) => [channel.id, channel]));
  const events = noLongerVisible(before, after, isSubscribed).map(
    ({ channelIds, userIds: losing }) =>
      channelsHiddenEvent(
        channelIds.flatMap((id) => known.get(id) ?? []),
        losing,
      ),
  );
  for (const gained of noLongerVisible(after, before, isSubscribed))
    events.push(...(await channelsShown(tx, realmId, gained.channelIds, gained.userIds)));
  return events;
}

async function loadVisibleChannels(
  tx: Tx,
  realmId: number,
  channels: readonly ChannelFacts[],
  userIds: readonly number[],
): Promise<VisibleChannels> {
  if (channels.length === 0 || userIds.length === 0) return new Map();
  const { classes, memberships } = await loadPermissionClasses(tx, realmId, userIds);
  const sets = new Map<string, ReadonlySet<number>>();
  const byUser = new Map<number, ReadonlySet<number>>();
  for (const { representative, userIds: members } of classes) {
    const seen = channels
      .filter((channel) => hasMetadataAccess(representative, channel, memberships, false))
      .map(({ id }) => id);
    const ids = sets.get(seen.join(",")) ?? new Set(seen);
    sets.set(seen.join(","), ids);
    for (const id of members) byUser.set(id, ids);
  }
  return byUser;
}

const subscribedTo = statement({
  name: "channels-with-subscribers-among",
  text: `SELECT channel_id AS id, json_agg(user_id) AS "userIds" FROM subscriptions
    WHERE channel_id = ANY($1::int[]) AND user_id = ANY($2::int[]) AND active GROUP BY channel_id`,
  overrides: { userIds: typed<number[]>() },
});

/** Loads which of the accounts are subscribed to each channel. */
async function loadSubscribed(
  tx: Tx,
  channels: readonly ChannelFacts[],
  userIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const rows = await tx.rows(subscribedTo, [channels.map(({ id }) => id), userIds]);
  return new Map(rows.map((row) => [row.id, new Set(row.userIds)]));
}

/**
 * Returns the channels that accounts can see in the first state and not in the second, except channels to which they are
 * subscribed; grouped by accounts.
 */
function noLongerVisible(
  seen: VisibleChannels,
  unseen: VisibleChannels,
  subscribed: ReadonlyMap<number, ReadonlySet<number>>,
): VisibilityChange[] {
  const found = new Map<string, VisibilityChange>();
  for (const { channelIds, userIds } of groupEqualChanges(seen, unseen))
    for (const channelId of channelIds) {
      const already = subscribed.get(channelId);
      const ids = already ? userIds.filter((id) => !already.has(id)) : userIds;
      if (ids.length === 0) continue;
      const change = found.get(ids.join(","));
      if (change) change.channelIds.push(channelId);
      else found.set(ids.join(","), { channelIds: [channelId], userIds: ids });
    }
  return [...found.values()];
}

/** Groups accounts that can see the same channels in the first state, and the same in the second. */
function groupEqualChanges(seen: VisibleChannels, unseen: VisibleChannels): VisibilityChange[] {
  const nothing: ReadonlySet<number> = new Set();
  const pairs = new Map<ReadonlySet<number>, Map<ReadonlySet<number>, number[]>>();
  for (const [userId, had] of seen) {
    const has = unseen.get(userId) ?? nothing;
    const others = pairs.get(had) ?? new Map<ReadonlySet<number>, number[]>();
    pairs.set(had, others);
    const userIds = others.get(has);
    if (userIds) userIds.push(userId);
    else others.set(has, [userId]);
  }
  return [...pairs].flatMap(([had, others]) =>
    [...others].flatMap(([has, userIds]) => {
      const channelIds = [...had].filter((id) => !has.has(id));
      return channelIds.length > 0 ? [{ channelIds, userIds: userIds.sort((a, b) => a - b) }] : [];
    }),
  );
}
