import {
  type ListingGroupSetting,
  groupEvents,
  loadChannels,
  loadGroupValues,
  loadMetadataAudiences,
  loadListingGroupSettings,
  realmUpdatedEvents,
} from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../channels/events/channel-events.ts";

/**
 * What is told of the group settings that list an account by itself, when it is active again: values go out without those
 * who are deactivated, so that clients have them without it (user-groups.md §6).
 */
export async function reactivatedSettings(
  sql: Sql,
  realmId: number,
  userId: number,
): Promise<NewEvent[]> {
  const settings = await loadListingGroupSettings(sql, realmId, userId);
  if (settings.length === 0) return [];
  const idsOf = (scope: ListingGroupSetting["scope"]) => [
    ...new Set(settings.filter((each) => each.scope === scope).map(({ ownerId }) => ownerId)),
  ];
  const [valueOf, channels, audiences, deactivated] = await Promise.all([
    loadGroupValues(
      sql,
      settings.map(({ groupId }) => groupId),
    ),
    loadChannels(sql, realmId, idsOf("channel")),
    loadMetadataAudiences(sql, realmId, idsOf("channel")),
    deactivatedAmong(sql, idsOf("group")),
  ]);
  const ofScope = (scope: ListingGroupSetting["scope"]) =>
    settings
      .filter((each) => each.scope === scope)
      .map(({ ownerId, name, groupId }) => ({ ownerId, name, value: valueOf(groupId) }));
  return [
    ...ofScope("group").map(({ ownerId, name, value }) =>
      groupEvents.updated(
        { id: ownerId, deactivated: deactivated.has(ownerId) },
        { [name]: value },
      ),
    ),
    ...ofScope("channel").flatMap(({ ownerId, name, value }) => {
      const channel = channels.get(ownerId);
      if (!channel) return [];
      return [channelPropertyEvent(channel, name, value, [...(audiences.get(ownerId) ?? [])])];
    }),
    ...realmUpdatedEvents(
      Object.fromEntries(ofScope("realm").map(({ name, value }) => [name, value])),
    ),
  ];
}

const deactivatedOf = statement({
  name: "deactivated-groups-among",
  text: "SELECT id FROM named_user_group WHERE id = ANY($1::int[]) AND deactivated",
  row: { id: column.int },
});

async function deactivatedAmong(sql: Sql, groupIds: readonly number[]): Promise<Set<number>> {
  const rows = await sql.rows(deactivatedOf, [groupIds]);
  return new Set(rows.map(({ id }) => id));
}
