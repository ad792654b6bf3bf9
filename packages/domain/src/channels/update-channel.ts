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

import { channelPropertyEvent, channelsGoneEvent } from "../channel-events/channel-events.ts";
import { channelsShown } from "../channel-events/channels-seen.ts";
import { unarchiveChannel } from "./archive-channel.ts";
import { keepNotices } from "./change-notices.ts";
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
 * Changes a channel, archived ones too (channels.md §5): everything is checked, in the documented order, before
 * anything changes. What is as it should be already is neither told nor written down. Notices are not posted yet: each
 * is a copy for every subscriber, and it is the whole organization that waits for this transaction.
 * @returns what is to be posted after the commit, by `postNoticesOfChange`; undefined for nothing
 * @throws ApiError `BAD_REQUEST`, `CANNOT_ADMINISTER_CHANNEL`, `UNAUTHORIZED_PRINCIPAL`, `CHANNEL_ALREADY_EXISTS`,
 *   `EXPECTATION_MISMATCH`; nothing has changed then
 */
export async function updateChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  wanted: ChannelChanges,
): Promise<IntentRef | undefined> {
  const description = describe(wanted.description);
  const graph = needsGraphAlone(wanted) ? "alone" : "shared";
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
  // Clients that do not know archived channels are told of none of its changes: they get it back as it is then.
  const returned = wanted.isArchived === false ? await bringBack(tx, open) : [];
  const defaults = next.isDefault === isDefault ? [] : [await defaultChannelsEvent(tx, realm.id)];
  emit(tx, realm.id, [...events, ...returned, ...defaults]);
  return keepNotices(tx, open, changes, auditIds);
}

/** @throws ApiError `BAD_REQUEST` */
function describe(asked: string | undefined): Description | undefined {
  if (asked === undefined) return undefined;
  const description = checkDescription(asked);
  return { description, renderedDescription: renderChannelDescription(description) };
}

/** Others who hold the group graph go by the permissions of channels, their names, and the list of default ones. */
function needsGraphAlone(wanted: ChannelChanges): boolean {
  return asksForSettings(wanted) || wanted.newName !== undefined || wanted.isDefault !== undefined;
}

async function bringBack(tx: Tx, { realm, actor, channel }: OpenChannel) {
  const now = (await loadChannels(tx, realm.id, [channel.id])).get(channel.id);
  return unarchiveChannel(tx, realm, actor, now ?? channel);
}

/** What came of storing changes. */
interface AppliedChanges {
  /** What those are told who see the channel, saw it, or both. */
  readonly events: readonly NewEvent[];
  /** The lines of the audit log that tell what was and what is; none where nothing is different. */
  readonly auditIds: readonly number[];
}

/** Properties that decide who sees a channel. */
const privacyColumns = ["invite_only", "is_web_public"];

/**
 * Stores what a channel is like from now on, and writes it down.
 * @param seenBy who has seen it so far, from `loadMetadataAudience`
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
  const mayDiffer = privacyColumns.some(changes) || changesVisibility(settings);
  const userVisibility: UserVisibility = mayDiffer
    ? await compareVisibility(tx, before, seenBy)
    : { audience: seenBy, events: [] };
  const events = [
    ...userVisibility.events,
    ...settingEvents(before, settings, systemGroups, userVisibility.audience),
    ...propertyEvents(before, next, properties, userVisibility.audience),
  ];
  return { events, auditIds };
}

/** Stores the changed properties of a locked channel. Messages stay: they look the channel's name up when they are shown. */
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

/** Who is told of a change to a channel, and what those are told who see it only before, or only afterwards. */
interface UserVisibility {
  /** Those who see it before and afterwards. */
  readonly audience: Audience;
  readonly events: readonly NewEvent[];
}

/** An array without members, as PostgreSQL writes it. */
const nobody = "{}";

/**
 * Compares who sees the channel by now with who saw it (channels.md §5): who has come to see it is told of the whole
 * channel and its subscribers instead of what is different, who sees it no more that it is gone. Who they are goes back
 * into SQL as it came: they may be ten thousand.
 * @param before from `loadMetadataAudience`, of the same transaction
 */
async function compareVisibility(
  sql: Sql,
  channel: Channel,
  before: string,
): Promise<UserVisibility> {
  const { id, realmId } = channel;
  const { staying, gained, lost } = await loadAudienceShift(sql, realmId, id, before);
  return {
    audience: staying,
    events: [
      ...(lost === nobody ? [] : [channelsGoneEvent([channel], lost)]),
      ...(gained === nobody ? [] : await channelsShown(sql, realmId, [id], gained)),
    ],
  };
}

/** Told together, by one of them (channels.md §5). */
const accessColumns = ["invite_only", "history_public_to_subscribers", "is_web_public"];

/**
 * What those are told of its properties who see the channel before and after the change: one event each, by the name
 * that they know the channel by.
 * @param channel as it was
 * @param next as it is
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
  // Everybody gets the list of default channels.
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

/** What the same are told of its permissions, and older clients of who may post. */
function settingEvents(
  channel: Channel,
  settings: readonly ChangedGroupSetting[],
  systemGroups: SystemGroupIds,
  audience: Audience,
): NewEvent[] {
  const told = (name: string, value: ChangedGroupSetting["value"] | boolean) =>
    channelPropertyEvent(channel, name, value, audience);
  return settings.flatMap(({ name, before, value }) => {
    const event = told(name, value);
    const policy = postPolicy(value, systemGroups);
    const isOlder =
      name === channelPermissions.canSendMessageGroup.name &&
      policy !== postPolicy(before, systemGroups);
    if (!isOlder) return [event];
    return [event, told("stream_post_policy", policy), told("is_announcement_only", policy === 2)];
  });
}
