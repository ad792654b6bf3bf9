import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { channelsGone, channelsShown } from "../channels/channels-seen.ts";
import { loadMetadataAudiences, type MetadataAudiences } from "../channels/metadata-audience.ts";

/** The private channels that the members of some groups see, as they were before a change of these groups. */
export interface WatchedChannels {
  readonly realmId: number;
  readonly channelIds: readonly number[];
  readonly before: MetadataAudiences;
}

const seenByGroups = {
  name: "private-channels-of-groups",
  text: `SELECT id FROM channels WHERE realm_id = $1 AND invite_only
      AND ARRAY[can_administer_channel_group_id, can_add_subscribers_group_id, can_subscribe_group_id] && $2::int[]
    ORDER BY id`,
};

/** @param groupIds every group whose members may change, from `loadSupergroups` */
export async function watchChannels(
  tx: Tx,
  realmId: number,
  groupIds: readonly number[],
): Promise<WatchedChannels> {
  const rows = await tx.rows<{ id: number }>(seenByGroups, [realmId, groupIds]);
  const channelIds = rows.map(({ id }) => id);
  return { realmId, channelIds, before: await loadMetadataAudiences(tx, realmId, channelIds) };
}

/** Accounts and the channels that all of them see, or all of them do not see any more. */
interface Shift {
  readonly channelIds: number[];
  readonly userIds: readonly number[];
}

/**
 * What those are told who see other channels than before (user-groups.md §5.5): which ones are gone, then the new ones
 * and who is subscribed to them.
 * @param userIds whose memberships have changed; nobody else is looked at
 */
export async function visibilityEvents(
  tx: Tx,
  { realmId, channelIds, before }: WatchedChannels,
  userIds: readonly number[],
): Promise<NewEvent[]> {
  if (channelIds.length === 0 || userIds.length === 0) return [];
  const after = await loadMetadataAudiences(tx, realmId, channelIds);
  const events = shifts(channelIds, userIds, before, after).map((lost) =>
    channelsGone(lost.channelIds, lost.userIds),
  );
  for (const gained of shifts(channelIds, userIds, after, before))
    events.push(...(await channelsShown(tx, realmId, gained.channelIds, gained.userIds)));
  return events;
}

/** Who sees what in the one state and not in the other; channels with the same accounts together. */
function shifts(
  channelIds: readonly number[],
  userIds: readonly number[],
  seen: MetadataAudiences,
  unseen: MetadataAudiences,
): Shift[] {
  const byUsers = new Map<string, Shift>();
  for (const channelId of channelIds) {
    const [has, hasNot] = [seen.get(channelId), unseen.get(channelId)];
    const ids = userIds.filter((id) => has?.has(id) && !hasNot?.has(id));
    if (ids.length === 0) continue;
    const alike = byUsers.get(ids.join(","));
    if (alike) alike.channelIds.push(channelId);
    else byUsers.set(ids.join(","), { channelIds: [channelId], userIds: ids });
  }
  return [...byUsers.values()];
}
