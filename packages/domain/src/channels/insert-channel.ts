import {
  type ChannelPermission,
  channelPermissions,
  type GroupSettingValue,
} from "@carillon/contract";
import { notNull, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  type Channel,
  channelColumns,
  channelGroupKeys,
  type ChannelGroups,
  columnsOf,
  groupSettingRows,
  renderChannelDescription,
  sameGroupValue,
  type SystemGroupIds,
} from "@carillon/model";

import { assertCanSetDeletion, type Holder } from "./open-channel.ts";

/** The requested properties of a new channel; undefined for the default. */
export interface CreationOptions {
  readonly inviteOnly: boolean;
  readonly isWebPublic: boolean;
  readonly isDefault: boolean;
  /** Whether to announce it in the organization's announcement channel. */
  readonly announce: boolean;
  readonly historyPublicToSubscribers: boolean | undefined;
  /** Days */
  readonly messageRetentionDays: number | "realm_default" | "unlimited";
  readonly topicsPolicy: string;
  readonly folderId: number | undefined;
  readonly groups: Readonly<Partial<Record<ChannelPermission, GroupSettingValue | undefined>>>;
}

/** The value of every permission of a channel, in canonical form. */
export type ChannelGroupValues = Readonly<Record<ChannelPermission, GroupSettingValue>>;

/**
 * Checks that the actor may set the deletion permissions of a new channel. Setting them to role:nobody, the default, needs
 * no permission.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkDeletionPolicy(
  holder: Holder,
  systemGroups: SystemGroupIds,
  values: ChannelGroupValues,
): void {
  const given = (Object.keys(values) as ChannelPermission[]).filter(
    (key) => !sameGroupValue(values[key], systemGroups["role:nobody"]),
  );
  assertCanSetDeletion(
    holder,
    given.map((key) => channelPermissions[key].name),
  );
}

/** Returns how many rows the permissions of one new channel need: members and subgroups of anonymous groups. */
export function creationGroupRows(values: ChannelGroupValues): number {
  return Object.values(values).reduce<number>((rows, value) => rows + groupSettingRows(value), 0);
}

/** The checked properties that are equal for all channels of one request. */
export interface ChannelKind {
  readonly creatorId: number | null;
  readonly inviteOnly?: boolean;
  readonly isWebPublic?: boolean;
  readonly historyPublicToSubscribers?: boolean;
  readonly topicsPolicy?: string;
  readonly messageRetentionDays?: number | null;
  readonly folderId?: number | null;
  /** Whether new members are subscribed to it. */
  readonly isDefault?: boolean;
}

/** The checked properties that each channel of a request has for itself. */
interface OwnParts {
  readonly name: string;
  readonly description?: string;
  readonly groups: ChannelGroups;
}

/** All checked properties of a new channel. */
export type NewChannel = ChannelKind & OwnParts;

const groupColumns = columnsOf(channelPermissions);

/**
 * Inserts in the order of names, so that two requests for the same names cannot deadlock. If names differ only in case, the
 * first of them is inserted.
 */
export const insert = statement({
  name: "insert-channels",
  text: `WITH made AS (
      INSERT INTO channels AS c (realm_id, creator_id, invite_only, is_web_public, history_public_to_subscribers,
        topics_policy, message_retention_days, folder_id, name, description, rendered_description,
        ${groupColumns.join(", ")})
      SELECT $1::int, $2::int, $3::bool, $4::bool, $5::bool, $6::text, $7::int, $8::int, w.name, w.description, w.html,
        ${groupColumns.map((_, i) => `w.g${i}`).join(", ")}
      FROM unnest($10::text[], $11::text[], $12::text[], ${groupColumns.map((_, i) => `$${i + 13}::int[]`).join(", ")})
        WITH ORDINALITY AS w (name, description, html, ${groupColumns.map((_, i) => `g${i}`).join(", ")}, ord)
      ORDER BY lower(w.name), w.ord
      ON CONFLICT DO NOTHING RETURNING ${channelColumns}
    ), recipient AS (
      INSERT INTO recipients (realm_id, channel_id) SELECT $1, id FROM made
    ), listed AS (
      INSERT INTO default_channels (channel_id) SELECT id FROM made WHERE $9::bool
    ), logged AS (
      INSERT INTO audit_log (realm_id, acting_user_id, event_type, extra_data)
      SELECT $1, $2::int, 'channel_created', jsonb_build_object('channel_id', id) FROM made
    )
    SELECT * FROM made ORDER BY id`,
  overrides: { dateCreated: notNull },
});

/**
 * Inserts channels and their recipients in one statement, without subscriptions. Skips channels whose names are taken.
 * @returns the inserted channels
 */
export async function insertChannels(
  tx: Tx,
  realmId: number,
  kind: ChannelKind,
  channels: readonly OwnParts[],
): Promise<Channel[]> {
  if (channels.length === 0) return [];
  const { isWebPublic = false, inviteOnly = false } = kind;
  const html = await inSlices(channels, ({ description = "" }) =>
    renderChannelDescription(description),
  );
  return tx.rows(insert, [
    realmId,
    kind.creatorId,
    inviteOnly,
    isWebPublic,
    kind.historyPublicToSubscribers ?? !inviteOnly,
    kind.topicsPolicy ?? "inherit",
    kind.messageRetentionDays ?? null,
    kind.folderId ?? null,
    kind.isDefault ?? false,
    channels.map(({ name }) => name),
    channels.map(({ description = "" }) => description),
    html,
    ...channelGroupKeys.map((key) => channels.map(({ groups }) => groups[key])),
  ]);
}

/** Inserts one channel. @returns undefined if the name is taken */
export async function insertChannel(
  tx: Tx,
  realmId: number,
  channel: NewChannel,
): Promise<Channel | undefined> {
  return (await insertChannels(tx, realmId, channel, [channel]))[0];
}
