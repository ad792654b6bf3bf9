import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { loadChannels } from "../channels/channel.ts";
import { loadMetadataAudiences, type MetadataAudiences } from "../channels/metadata-audience.ts";
import { loadChannelPresenter } from "../channels/present.ts";
import { channelCreated } from "../channels/subscription-events.ts";
import { loadSubscribers } from "../channels/subscriptions.ts";

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

/** Who has begun and who has ceased to see a channel. */
interface Shift {
  readonly channelId: number;
  readonly gained: number[];
  readonly lost: number[];
}

/**
 * What those are told who see other channels than before (user-groups.md §5.5): a channel with its subscribers, or that
 * it is gone.
 * @param userIds whose memberships have changed; nobody else is looked at
 */
export async function visibilityEvents(
  tx: Tx,
  { realmId, channelIds, before }: WatchedChannels,
  userIds: readonly number[],
): Promise<NewEvent[]> {
  if (channelIds.length === 0 || userIds.length === 0) return [];
  const after = await loadMetadataAudiences(tx, realmId, channelIds);
  const shifts = channelIds.map((channelId): Shift => {
    const [had, have] = [before.get(channelId), after.get(channelId)];
    return {
      channelId,
      gained: userIds.filter((id) => have?.has(id) && !had?.has(id)),
      lost: userIds.filter((id) => had?.has(id) && !have?.has(id)),
    };
  });
  return [...(await gainedEvents(tx, realmId, shifts)), ...lostEvents(shifts)];
}

async function gainedEvents(
  tx: Tx,
  realmId: number,
  shifts: readonly Shift[],
): Promise<NewEvent[]> {
  const gained = shifts.filter((shift) => shift.gained.length > 0);
  if (gained.length === 0) return [];
  const ids = gained.map(({ channelId }) => channelId);
  const channels = await loadChannels(tx, realmId, ids);
  const [presenter, subscribersOf] = await Promise.all([
    loadChannelPresenter(tx, realmId, [...channels.values()]),
    loadSubscribers(tx, ids),
  ]);
  return gained.flatMap(({ channelId, gained: audience }) => {
    const channel = channels.get(channelId);
    if (!channel) return [];
    const created = channelCreated([presenter.present(channel)], audience);
    const user_ids = subscribersOf(channelId);
    if (user_ids.length === 0) return [created];
    const payload = { stream_ids: [channelId], user_ids };
    return [created, { type: "subscription", op: "peer_add", payload, audience }];
  });
}

function lostEvents(shifts: readonly Shift[]): NewEvent[] {
  return shifts
    .filter(({ lost }) => lost.length > 0)
    .map(({ channelId: stream_id, lost: audience }) => ({
      type: "stream",
      op: "delete",
      payload: { stream_ids: [stream_id], streams: [{ stream_id }] },
      audience,
    }));
}
