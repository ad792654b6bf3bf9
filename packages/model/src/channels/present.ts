import {
  type Audience,
  type ChannelObject,
  channelPermissions,
  defaultChannelsChanged,
  type GroupSettingValue,
  type NamesOf,
  type NewEvent,
  roles,
} from "@carillon/contract";
import { notNull, type Sql, statement } from "@carillon/db";

import { loadGroupValues } from "../permissions/group-setting-values.ts";
import { loadSystemGroups, type SystemGroupIds } from "../permissions/system-groups.ts";
import type { Channel, ChannelGroups } from "./channel.ts";

const permissions = Object.entries(channelPermissions).map(([key, { name }]) => ({
  key: `${key}Id` as keyof ChannelGroups,
  name,
}));

/**
 * Returns the numeric posting policy for older clients (channels.md §1).
 * @param value value of `can_send_message_group`; anonymous groups have no policy of their own
 */
export function postPolicy(value: GroupSettingValue, groups: SystemGroupIds): 1 | 2 | 3 | 4 {
  if (value === groups["role:administrators"]) return 2;
  if (value === groups["role:fullmembers"]) return 3;
  return value === groups["role:moderators"] ? 4 : 1;
}

/** Converts channels to their wire format, with the preloaded groups of their permissions. */
export class ChannelPresenter {
  readonly #groups: SystemGroupIds;
  readonly #valueOf: (groupId: number) => GroupSettingValue;

  /** @internal use {@link loadChannelPresenter} */
  constructor(groups: SystemGroupIds, valueOf: (groupId: number) => GroupSettingValue) {
    this.#groups = groups;
    this.#valueOf = valueOf;
  }

  present(channel: Channel): ChannelObject {
    const policy = postPolicy(channel.canSendMessageGroupId, this.#groups);
    return {
      stream_id: channel.id,
      name: channel.name,
      description: channel.description,
      rendered_description: channel.renderedDescription,
      date_created: channel.dateCreated,
      creator_id: channel.creatorId,
      invite_only: channel.inviteOnly,
      is_web_public: channel.isWebPublic,
      history_public_to_subscribers: channel.historyPublicToSubscribers,
      is_archived: channel.isArchived,
      folder_id: channel.folderId,
      first_message_id: channel.firstMessageId,
      message_retention_days: channel.messageRetentionDays,
      topics_policy: channel.topicsPolicy,
      is_recently_active: channel.isRecentlyActive,
      subscriber_count: channel.subscriberCount,
      stream_weekly_traffic: channel.weeklyTraffic,
      stream_post_policy: policy,
      is_announcement_only: policy === 2,
      ...this.#permissions(channel),
    };
  }

  #permissions(
    channel: ChannelGroups,
  ): Record<NamesOf<typeof channelPermissions>, GroupSettingValue> {
    const values = {} as Record<NamesOf<typeof channelPermissions>, GroupSettingValue>;
    for (const { key, name } of permissions) values[name] = this.#valueOf(channel[key]);
    return values;
  }
}

/** Loads the groups of the channels' permissions, which the presenter writes in the form that clients get. */
export async function loadChannelPresenter(
  sql: Sql,
  realmId: number,
  channels: readonly ChannelGroups[],
): Promise<ChannelPresenter> {
  const groupIds = new Set<number>();
  for (const channel of channels) for (const { key } of permissions) groupIds.add(channel[key]);
  const [groups, valueOf] = await Promise.all([
    loadSystemGroups(sql, realmId),
    loadGroupValues(sql, groupIds),
  ]);
  return new ChannelPresenter(groups, valueOf);
}

const defaults = statement({
  name: "default-channels-event",
  text: `SELECT
      ARRAY(SELECT d.channel_id FROM default_channels d JOIN channels c ON c.id = d.channel_id
        WHERE c.realm_id = $1 ORDER BY 1) AS channels,
      ARRAY(SELECT id FROM users WHERE realm_id = $1 AND is_active AND role <> ${roles.guest}
        AND system_bot_kind IS NULL ORDER BY 1)::text AS audience`,
  overrides: { channels: notNull, audience: notNull },
});

/**
 * Makes the event with the whole list of default channels.
 * @param audience the audience; default: all users except guests
 */
export async function defaultChannelsEvent(
  sql: Sql,
  realmId: number,
  audience?: Audience,
): Promise<NewEvent> {
  const [row] = await sql.rows(defaults, [realmId]);
  return defaultChannelsChanged(
    { default_streams: row?.channels ?? [] },
    { audience: audience ?? row?.audience ?? "{}" },
  );
}

/** Makes the event for accounts that became guests: they have no default channels. */
export function noDefaultChannelsEvent(audience: Audience): NewEvent {
  return defaultChannelsChanged({ default_streams: [] }, { audience });
}
