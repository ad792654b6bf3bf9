import {
  type ListingGroupSetting,
  loadChannels,
  loadGroupValues,
  loadMetadataAudiences,
  loadListingGroupSettings,
} from "@carillon/model";
import type { GroupSettingValue } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

/**
 * What is told of the settings that list an account by itself, when it is active again: values go out without those
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
    ...ofScope("group").map(({ ownerId, name, value }): NewEvent => ({
      type: "user_group",
      op: "update",
      payload: {
        group_id: ownerId,
        data: { [name]: value },
        ...(deactivated.has(ownerId) ? { deactivated: true } : {}),
      },
      audience: null,
    })),
    ...ofScope("channel").flatMap(({ ownerId, name, value }): NewEvent[] => {
      const channel = channels.get(ownerId);
      if (!channel) return [];
      const payload = {
        stream_id: ownerId,
        name: channel.name,
        property: name,
        value,
        ...(channel.isArchived ? { archived: true } : {}),
      };
      return [
        { type: "stream", op: "update", payload, audience: [...(audiences.get(ownerId) ?? [])] },
      ];
    }),
    ...realmUpdated(ofScope("realm")),
  ];
}

function realmUpdated(
  settings: ReadonlyArray<{ readonly name: string; readonly value: GroupSettingValue }>,
): NewEvent[] {
  if (settings.length === 0) return [];
  const data = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  return [
    { type: "realm", op: "update_dict", payload: { property: "default", data }, audience: null },
  ];
}

async function deactivatedAmong(sql: Sql, groupIds: readonly number[]): Promise<Set<number>> {
  const rows = await sql.rows<{ id: number }>(
    "SELECT id FROM named_user_group WHERE id = ANY($1::int[]) AND deactivated",
    [groupIds],
  );
  return new Set(rows.map(({ id }) => id));
}
