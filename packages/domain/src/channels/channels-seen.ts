import type { Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { loadMemberships, type PermissionSubject } from "../permissions/memberships.ts";
import { hasMetadataAccess, type AccessFacts, type AdministrationFacts } from "./access.ts";
import { loadChannels } from "./channel.ts";
import { loadChannelPresenter } from "./present.ts";
import { channelCreated } from "./subscription-events.ts";
import { loadSubscribedChannels, loadSubscribers } from "./subscriptions.ts";

const facts = {
  name: "channel-access-facts",
  text: `SELECT id, invite_only AS "inviteOnly", is_web_public AS "isWebPublic",
      can_add_subscribers_group_id AS "canAddSubscribersGroupId", can_subscribe_group_id AS "canSubscribeGroupId",
      can_administer_channel_group_id AS "canAdministerChannelGroupId"
    FROM channels WHERE realm_id = $1 ORDER BY id`,
};

/** The ids of all channels whose metadata the account sees, archived ones too, as the rows are now; ascending. */
export async function loadChannelsSeen(
  sql: Sql,
  realmId: number,
  account: PermissionSubject,
): Promise<number[]> {
  const [channels, memberships, subscribed] = await Promise.all([
    sql.rows<AccessFacts & AdministrationFacts & { id: number }>(facts, [realmId]),
    loadMemberships(sql, [account.id]),
    loadSubscribedChannels(sql, [account.id]),
  ]);
  return channels
    .filter((channel) =>
      hasMetadataAccess(account, channel, memberships, subscribed(account.id, channel.id)),
    )
    .map(({ id }) => id);
}

/**
 * What an account is told when it sees other channels than before, for another reason than its subscriptions: those
 * that are gone, then the new ones and who is subscribed to them (events.md §4).
 * @param before from {@link loadChannelsSeen}
 */
export async function channelsSeenEvents(
  sql: Sql,
  realmId: number,
  account: PermissionSubject,
  before: readonly number[],
): Promise<NewEvent[]> {
  const after = await loadChannelsSeen(sql, realmId, account);
  const [had, has] = [new Set(before), new Set(after)];
  const lost = before.filter((id) => !has.has(id));
  const gained = after.filter((id) => !had.has(id));
  return [
    ...(lost.length > 0 ? [channelsGone(lost, [account.id])] : []),
    ...(gained.length > 0 ? await channelsShown(sql, realmId, gained, [account.id]) : []),
  ];
}

/** The event that takes channels away from accounts. */
export function channelsGone(channelIds: readonly number[], audience: readonly number[]): NewEvent {
  return {
    type: "stream",
    op: "delete",
    payload: { stream_ids: channelIds, streams: channelIds.map((stream_id) => ({ stream_id })) },
    audience,
  };
}

/** The events that make channels known to accounts that see them by now: the channels, and who is subscribed. */
export async function channelsShown(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
  audience: readonly number[],
): Promise<NewEvent[]> {
  const [channels, subscribersOf] = await Promise.all([
    loadChannels(sql, realmId, channelIds),
    loadSubscribers(sql, channelIds),
  ]);
  const shown = channelIds.flatMap((id) => channels.get(id) ?? []);
  const presenter = await loadChannelPresenter(sql, realmId, shown);
  const bySubscribers = new Map<string, { stream_ids: number[]; user_ids: number[] }>();
  for (const id of channelIds) {
    const user_ids = subscribersOf(id);
    const alike = bySubscribers.get(user_ids.join(","));
    if (alike) alike.stream_ids.push(id);
    else bySubscribers.set(user_ids.join(","), { stream_ids: [id], user_ids });
  }
  return [
    channelCreated(
      shown.map((channel) => presenter.present(channel)),
      audience,
    ),
    ...[...bySubscribers.values()]
      .filter(({ user_ids }) => user_ids.length > 0)
      .map((payload) => ({ type: "subscription", op: "peer_add", payload, audience })),
  ];
}
