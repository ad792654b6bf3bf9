import { type Audience, channelPermissions, type NewEvent } from "@carillon/contract";
import type { Sql, Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { IntentRef } from "@carillon/jobs";
import {
  type Account,
  type ChangedGroupSetting,
  type Channel,
  checkDescription,
  defaultChannelsEvent,
  loadAudienceShift,
  loadChannels,
  loadMetadataAudience,
  loadSystemGroups,
  postPolicy,
  renderChannelDescription,
  type SystemGroupIds,
  writeAudit,
} from "@carillon/model";

import { channelPropertyEvent, channelsHiddenEvent } from "../channel-events/channel-events.ts";
import { channelsShown } from "../channel-events/channels-seen.ts";
import { unarchiveChannel } from "./archive-channel.ts";
import { recordChannelChangedNotices } from "./change-notices.ts";
import { isDefaultChannel, storeDefaultChannel } from "./default-channels.ts";
import {
  asksForSettings,
  changeChannelSettings,
  changedProperties,
  type ChangedProperty,
  changesVisibility,
  type ChannelChanges,
  type CheckedChanges,
  checkNextChannel,
  type Description,
  type NextChannel,
} from "./next-channel.ts";
import { type OpenChannel, openChannel } from "./open-channel.ts";

/**
 * Changes a channel, which may be archived (channels.md §5). Checks everything in the documented order before changing
 * anything. Fields that already have the requested value make no event and no audit entry. Notices are not posted here,
 * because each is a copy for every subscriber and this transaction blocks the whole organization.
 * @returns the job for `postNoticesOfChange` after the commit; undefined if there are no notices
 * @throws ApiError `BAD_REQUEST`, `CANNOT_ADMINISTER_CHANNEL`, `UNAUTHORIZED_PRINCIPAL`, `CHANNEL_ALREADY_EXISTS`,
 * `EXPECTATION_MISMATCH`; nothing has changed then
 */
export async function updateChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  wanted: ChannelChanges,
): Promise<IntentRef | undefined> {
  const description = describe(wanted.description);
  const graph = needsExclusiveGraph(wanted) ? "exclusive" : "shared";
  const open = await openChannel(tx, account, channelId, graph);
  const { actor, channel, realm } = open;
  const [systemGroups, isDefault, seenBy] = await Promise.all([
    loadSystemGroups(tx, realm.id),
    isDefaultChannel(tx, channelId),
    loadMetadataAudience(tx, realm.id, channelId),
  ]);
  const next = await checkNextChannel(tx, open, wanted, { description, isDefault, systemGroups });
  const settings = await changeChannelSettings(tx, open, wanted.settings, systemGroups);
  const properties = changedProperties({ ...channel, isDefault }, next);
  const changes = { before: channel, next, properties, settings };

  const { events, auditIds } = await applyChanges(tx, actor.id, changes, seenBy, systemGroups);
  // Clients without `archived_channels` receive no changes of an archived channel: when it is unarchived, they receive it
  // in its final state.
  const returned = wanted.isArchived === false ? await bringBack(tx, open) : [];
  const defaults = next.isDefault === isDefault ? [] : [await defaultChannelsEvent(tx, realm.id)];
  emit(tx, realm.id, [...events, ...returned, ...defaults]);
  return recordChannelChangedNotices(tx, open, changes, auditIds);
}

/** Checks and renders a description. @throws ApiError `BAD_REQUEST` */
function describe(asked: string | undefined): Description | undefined {
  if (asked === undefined) return undefined;
  const description = checkDescription(asked);
  return { description, renderedDescription: renderChannelDescription(description) };
}

/**
 * Whether the change needs the exclusive lock of the group graph: transactions with a shared lock rely on channel
 * permissions, names and default channels.
 */
function needsExclusiveGraph(wanted: ChannelChanges): boolean {
  return asksForSettings(wanted) || wanted.newName !== undefined || wanted.isDefault !== undefined;
}

async function bringBack(tx: Tx, { realm, actor, channel }: OpenChannel) {
  const now = (await loadChannels(tx, realm.id, [channel.id])).get(channel.id);
  return unarchiveChannel(tx, realm, actor, now ?? channel);
}

/** Result of storing changes. */
interface AppliedChanges {
  /** Events for accounts that could see the channel before the change, can after it, or both. */
  readonly events: readonly NewEvent[];
  /** Ids of the audit log's entries; empty if nothing has changed. */
  readonly auditIds: readonly number[];
}

/** Properties that decide who can see a channel. */
const privacyColumns = ["invite_only", "is_web_public"];

/**
 * Stores a channel's changes and their audit entries.
 * @param seenBy the channel's previous audience, from `loadMetadataAudience`
 */
async function applyChanges(
  tx: Tx,
  actorId: number,
  { before, next, properties, settings }: CheckedChanges,
  seenBy: string,
  systemGroups: SystemGroupIds,
): Promise<AppliedChanges> {
  const { id, realmId } = before;
  const changed = [...properties, ...settings];
  if (changed.length === 0) return { events: [], auditIds: [] };
  const changes = (name: string) => properties.some((property) => property.name === name);
  await storeChannel(tx, id, next);
  if (changes("is_default_stream")) await storeDefaultChannel(tx, id, next.isDefault);
  const auditIds = await writeAudit(
    tx,
    realmId,
    actorId,
    changed.map(({ name, before: old, value }) => ({
      type: "channel_setting_changed",
      data: { channel_id: id, setting: name, old, new: value },
    })),
  );
  const visibilityCanChange = privacyColumns.some(changes) || changesVisibility(settings);
  const visibility: VisibilityChange = visibilityCanChange
    ? await compareVisibility(tx, before, seenBy)
    : { audience: seenBy, events: [] };
  const events = [
    ...visibility.events,
    ...settingEvents(before, settings, systemGroups, visibility.audience),
    ...propertyEvents(before, next, properties, visibility.audience),
  ];
  return { events, auditIds };
}

/**
 * Stores the changed properties of a locked channel. Messages need no update, because they refer to the channel by id.
 */
async function storeChannel(tx: Tx, channelId: number, next: NextChannel): Promise<void> {
  const prisma = await tx.prisma();
  await prisma.channel.update({
    where: { id: channelId },
    data: {
      name: next.name,
      description: next.description,
      renderedDescription: next.renderedDescription,
      inviteOnly: next.inviteOnly,
      isWebPublic: next.isWebPublic,
      historyPublicToSubscribers: next.historyPublicToSubscribers,
      messageRetentionDays: next.messageRetentionDays,
      topicsPolicy: next.topicsPolicy,
      folderId: next.folderId,
    },
    select: { id: true },
  });
}

/** The audience of a channel's change, and the events for accounts that can see it only before or only after. */
interface VisibilityChange {
  /** Accounts that can see it before and after the change. */
  readonly audience: Audience;
  readonly events: readonly NewEvent[];
}

/** An empty array in PostgreSQL's syntax. */
const nobody = "{}";

/**
 * Compares the channel's audience with the previous one (channels.md §5). Accounts that gain access receive the whole
 * channel and its subscribers instead of the changes; accounts that lose access receive its deletion. The audiences
 * stay in SQL array syntax, because they may contain ten thousand accounts.
 * @param before from `loadMetadataAudience`, of the same transaction
 */
async function compareVisibility(
  sql: Sql,
  channel: Channel,
  before: string,
): Promise<VisibilityChange> {
  const { id, realmId } = channel;
  const { staying, gained, lost } = await loadAudienceShift(sql, realmId, id, before);
  return {
    audience: staying,
    events: [
      ...(lost === nobody ? [] : [channelsHiddenEvent([channel], lost)]),
      ...(gained === nobody ? [] : await channelsShown(sql, realmId, [id], gained)),
    ],
  };
}

/** A change of several of these properties makes one event (channels.md §5). */
const accessColumns = ["invite_only", "history_public_to_subscribers", "is_web_public"];

/**
 * Makes the property events for accounts that can see the channel before and after the change: one event for each
 * property, with the name that the client knows at that point.
 * @param channel before the change
 * @param next after the change
 */
function propertyEvents(
  channel: Channel,
  next: NextChannel,
  changed: readonly ChangedProperty[],
  audience: Audience,
): NewEvent[] {
  const values = new Map(
    changed.map(({ name, value }) =>
      accessColumns.includes(name)
        ? (["invite_only", next.inviteOnly] as const)
        : ([name, value] as const),
    ),
  );
  // The list of default channels has its own event, for all users.
  values.delete("is_default_stream");
  return [...values].map(([name, value]) =>
    channelPropertyEvent(channel, name, value, audience, companions(name, next)),
  );
}

function companions(name: string, next: NextChannel) {
  if (name === "description") return { rendered_description: next.renderedDescription };
  if (name !== "invite_only") return {};
  return {
    history_public_to_subscribers: next.historyPublicToSubscribers,
    is_web_public: next.isWebPublic,
  };
}

/**
 * Makes the permission events for accounts that can see the channel before and after the change, including events of the
 * older properties on who may post.
 */
function settingEvents(
  channel: Channel,
  settings: readonly ChangedGroupSetting[],
  systemGroups: SystemGroupIds,
  audience: Audience,
): NewEvent[] {
  const settingEvent = (name: string, value: ChangedGroupSetting["value"] | boolean) =>
    channelPropertyEvent(channel, name, value, audience);
  return settings.flatMap(({ name, before, value }) => {
    const event = settingEvent(name, value);
    const policy = postPolicy(value, systemGroups);
    const isOlder =
      name === channelPermissions.canSendMessageGroup.name &&
      policy !== postPolicy(before, systemGroups);
    if (!isOlder) return [event];
    return [
      event,
      settingEvent("stream_post_policy", policy),
      settingEvent("is_announcement_only", policy === 2),
    ];
  });
}
