import type { Tx } from "@carillon/db";

import { channelSettings } from "../permissions/registry.ts";
import { renderChannelDescription } from "./names.ts";
import { channelColumns, type Channel, type ChannelGroups } from "./channel.ts";

/** What a channel is made of, checked. */
export interface NewChannel {
  readonly name: string;
  readonly description?: string;
  readonly creatorId: number | null;
  readonly inviteOnly?: boolean;
  readonly isWebPublic?: boolean;
  readonly historyPublicToSubscribers?: boolean;
  readonly topicsPolicy?: string;
  readonly messageRetentionDays?: number | null;
  readonly folderId?: number | null;
  readonly groups: ChannelGroups;
  /** New members are subscribed to it. */
  readonly isDefault?: boolean;
}

const settings = Object.entries(channelSettings).map(([key, { name }]) => ({
  key: `${key}Id` as keyof ChannelGroups,
  column: `${name}_id`,
}));

const insert = {
  name: "insert-channel",
  text: `INSERT INTO channels AS c (realm_id, name, description, rendered_description, creator_id, invite_only,
      is_web_public, history_public_to_subscribers, topics_policy, message_retention_days, folder_id,
      ${settings.map(({ column }) => column).join(", ")})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ${settings.map((_, i) => `$${i + 12}`).join(", ")})
    ON CONFLICT DO NOTHING RETURNING ${channelColumns}`,
};

const attach = {
  name: "insert-channel-recipient",
  text: `WITH recipient AS (INSERT INTO recipients (realm_id, channel_id) VALUES ($1, $2)),
      listed AS (INSERT INTO default_channels (channel_id) SELECT $2 WHERE $3)
    INSERT INTO audit_log (realm_id, acting_user_id, event_type, extra_data)
    VALUES ($1, $4, 'channel_created', jsonb_build_object('channel_id', $2::int))`,
};

/** Adds a channel and where its messages go, nobody subscribed. @returns undefined when the name is taken */
export async function insertChannel(
  tx: Tx,
  realmId: number,
  channel: NewChannel,
): Promise<Channel | undefined> {
  const { description = "", isWebPublic = false, inviteOnly = false } = channel;
  const row = await tx.first<Channel>(insert, [
    realmId,
    channel.name,
    description,
    renderChannelDescription(description),
    channel.creatorId,
    inviteOnly,
    isWebPublic,
    channel.historyPublicToSubscribers ?? !inviteOnly,
    channel.topicsPolicy ?? "inherit",
    channel.messageRetentionDays ?? null,
    channel.folderId ?? null,
    ...settings.map(({ key }) => channel.groups[key]),
  ]);
  if (!row) return undefined;
  await tx.rows(attach, [realmId, row.id, channel.isDefault ?? false, channel.creatorId]);
  return row;
}
