import type { Audience, NewEvent } from "@carillon/contract";
import { type Sql, statement } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  accessFactsColumns,
  type Channel,
  hasMetadataAccess,
  loadChannelPresenter,
  loadManyChannels,
  loadMemberships,
  loadSubscribedChannels,
  loadSubscribers,
  type PermissionSubject,
} from "@carillon/model";

import { archivedAmong, channelsHiddenEvent, channelsShownEvent } from "./channel-events.ts";
import { peersShownEvent } from "./peer-events.ts";

const facts = statement({
  name: "channel-access-facts",
  text: `SELECT c.id, c.is_archived AS "isArchived", ${accessFactsColumns}
    FROM channels c WHERE c.realm_id = $1 ORDER BY c.id`,
});

/** A channel that an account can see. */
type SeenChannel = Pick<Channel, "id" | "isArchived">;

/** Loads all channels whose metadata each account can currently see, including archived ones; ordered by id. */
export async function loadChannelsSeen(
  sql: Sql,
  realmId: number,
  accounts: readonly PermissionSubject[],
): Promise<Map<number, SeenChannel[]>> {
  if (accounts.length === 0) return new Map();
  const ids = accounts.map(({ id }) => id);
  const [channels, memberships, subscribed] = await Promise.all([
    sql.rows(facts, [realmId]),
    loadMemberships(sql, ids),
    loadSubscribedChannels(sql, ids),
  ]);
  const seen = await inSlices(accounts, (account) =>
    channels.filter((channel) =>
      hasMetadataAccess(account, channel, memberships, subscribed(account.id, channel.id)),
    ),
  );
  return new Map(accounts.map(({ id }, i) => [id, seen[i] ?? []]));
}

/**
 * Makes the events of a change of visible channels that does not come from subscriptions: first the lost channels, then
 * the gained ones with their subscribers (events.md §4). Accounts with equal changes share events.
 * @param before from {@link loadChannelsSeen}
 */
export async function channelsSeenEvents(
  sql: Sql,
  realmId: number,
  accounts: readonly PermissionSubject[],
  before: ReadonlyMap<number, readonly SeenChannel[]>,
): Promise<NewEvent[]> {
  const after = await loadChannelsSeen(sql, realmId, accounts);
  const changes = new Map<string, { lost: SeenChannel[]; gained: number[]; userIds: number[] }>();
  for (const { id } of accounts) {
    const [had, has] = [before.get(id) ?? [], after.get(id) ?? []];
    const lost = without(had, has);
    const gained = without(has, had).map((channel) => channel.id);
    const key = `${lost.map((channel) => channel.id).join(",")} ${gained.join(",")}`;
    const change = changes.get(key);
    if (change) change.userIds.push(id);
    else changes.set(key, { lost, gained, userIds: [id] });
  }
  const events: NewEvent[] = [];
  for (const { lost, gained, userIds } of changes.values()) {
    if (lost.length > 0) events.push(channelsHiddenEvent(lost, userIds));
    if (gained.length > 0) events.push(...(await channelsShown(sql, realmId, gained, userIds)));
  }
  return events;
}

function without(some: readonly SeenChannel[], others: readonly SeenChannel[]): SeenChannel[] {
  const ids = new Set(others.map(({ id }) => id));
  return some.filter(({ id }) => !ids.has(id));
}

/**
 * Makes the events that add channels for accounts that can now see them: the channels, then their subscribers.
 * `subscriber_count` starts at 0, because clients add the subscribers to it, as for a new channel (channels.md §10). A
 * change of role can show thousands of channels, so presenting them yields to the event loop.
 */
export async function channelsShown(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
  audience: Audience,
): Promise<NewEvent[]> {
  const [channels, subscribersOf] = await Promise.all([
    loadManyChannels(sql, realmId, channelIds),
    loadSubscribers(sql, channelIds),
  ]);
  const shown = channelIds.flatMap((id) => channels.get(id) ?? []);
  const presenter = await loadChannelPresenter(sql, realmId, shown);
  const objects = await inSlices(shown, (channel) =>
    presenter.present({ ...channel, subscriberCount: 0 }),
  );
  const bySubscribers = new Map<string, { stream_ids: number[]; user_ids: number[] }>();
  await inSlices(channelIds, (id) => {
    const user_ids = subscribersOf(id);
    if (user_ids.length === 0) return;
    const key = user_ids.join(",");
    const group = bySubscribers.get(key);
    if (group) group.stream_ids.push(id);
    else bySubscribers.set(key, { stream_ids: [id], user_ids });
  });
  const peers = await inSlices([...bySubscribers.values()], (group) => {
    // Only the channels of this group: checking all channels for each group would take quadratic time.
    const inGroup = group.stream_ids.flatMap((id) => channels.get(id) ?? []);
    return peersShownEvent(group, audience, archivedAmong(inGroup));
  });
  return [channelsShownEvent(objects, audience), ...peers];
}
