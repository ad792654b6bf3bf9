import {
  type ChannelPermission,
  channelPermissions,
  errors,
  type TopicsPolicy,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import {
  canonicalGroupValue,
  type ChangedGroupSetting,
  changeGroupSettings,
  type Channel,
  checkChannelName,
  checkVisible,
  type GroupSettingUpdates,
  isOrganizationAdministrator,
  loadChannelsByName,
  readingPermissions,
  showingPermissions,
  type SystemGroupIds,
} from "@carillon/model";

import { assertCanUnarchive } from "./archive-channel.ts";
import {
  checkFolder,
  assertCanMake,
  assertCanMakeWebPublic,
  assertCanSetDeletion,
  assertCanSetRetention,
  assertCanSetTopicsPolicy,
  checkTopicsOfProtectedHistory,
  type OpenChannel,
  retentionDays,
} from "./open-channel.ts";

/** The requested changes of a channel (channels.md §5); undefined for no change. */
export interface ChannelChanges {
  readonly description?: string | undefined;
  readonly newName?: string | undefined;
  readonly isPrivate?: boolean | undefined;
  readonly isWebPublic?: boolean | undefined;
  readonly historyPublicToSubscribers?: boolean | undefined;
  readonly isDefault?: boolean | undefined;
  /** Days */
  readonly messageRetentionDays?: number | "realm_default" | "unlimited" | undefined;
  /** False unarchives the channel; true has no effect. */
  readonly isArchived?: boolean | undefined;
  readonly folderId?: number | null | undefined;
  readonly topicsPolicy?: TopicsPolicy | undefined;
  readonly settings: GroupSettingUpdates<"channel">;
}

/** Whether the request sets any permission. */
export function asksForSettings({ settings }: ChannelChanges): boolean {
  return Object.values(settings).some((update) => update !== undefined);
}

/** A description as it is stored. */
export interface Description {
  readonly description: string;
  readonly renderedDescription: string;
}

/** The properties of a channel after a change, except its permissions. */
export interface NextChannel
  extends
    Privacy,
    Description,
    Pick<Channel, "name" | "messageRetentionDays" | "topicsPolicy" | "folderId"> {
  /** Whether new members are subscribed to it. */
  readonly isDefault: boolean;
}

interface NextChannelFacts {
  /** The new description, already checked; undefined for no change. */
  readonly description: Description | undefined;
  /** Whether it is a default channel before the change. */
  readonly isDefault: boolean;
  readonly systemGroups: SystemGroupIds;
}

/**
 * Returns the channel's new properties, checked in the documented order (channels.md §5, steps 3 to 11).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`, `CHANNEL_ALREADY_EXISTS`
 */
export async function checkNextChannel(
  tx: Tx,
  open: OpenChannel,
  wanted: ChannelChanges,
  facts: NextChannelFacts,
): Promise<NextChannel> {
  const { actor, channel } = open;
  const privacy = proposedPrivacy(channel, wanted);
  const isDefault = wanted.isDefault ?? facts.isDefault;
  checkPrivacy(open, wanted, privacy, isDefault, facts.systemGroups);
  if (wanted.isDefault !== undefined && !isOrganizationAdministrator(actor))
    throw errors.unauthorizedPrincipal("Only administrators can change the default channels");
  if (isDefault && channel.isArchived && wanted.isArchived !== false)
    throw errors.badRequest("An archived channel cannot be a default channel");
  if (wanted.messageRetentionDays !== undefined) assertCanSetRetention(actor);
  if (wanted.isArchived === false) assertCanUnarchive({ ...channel, ...privacy });
  if (wanted.topicsPolicy !== undefined) {
    assertCanSetTopicsPolicy(open);
    const isNewPolicy = wanted.topicsPolicy !== channel.topicsPolicy;
    if (isNewPolicy && wanted.topicsPolicy === "empty_topic_only")
      await checkHasNoTopics(tx, channel.id);
  }
  const name =
    wanted.newName === undefined ? channel.name : await newName(tx, open, wanted.newName);
  const { folderId = channel.folderId } = wanted;
  if (folderId !== null && folderId !== channel.folderId)
    await checkFolder(tx, channel.realmId, folderId);
  const { description, renderedDescription } = facts.description ?? channel;
  return {
    ...privacy,
    name,
    description,
    renderedDescription,
    folderId,
    isDefault,
    messageRetentionDays:
      wanted.messageRetentionDays === undefined
        ? channel.messageRetentionDays
        : retentionDays(wanted.messageRetentionDays),
    topicsPolicy: wanted.topicsPolicy ?? channel.topicsPolicy,
  };
}

/**
 * Checks a new name. The transaction holds the exclusive lock of the group graph, so that no other transaction creates or
 * renames a channel.
 */
async function newName(tx: Tx, { channel }: OpenChannel, asked: string): Promise<string> {
  if (asked.trim() === channel.name) throw errors.badRequest("The channel has this name already");
  const name = checkChannelName(asked);
  checkVisible("The name of a channel", name);
  const holder = (await loadChannelsByName(tx, channel.realmId, [name])).get(name);
  if (holder && holder.id !== channel.id) throw errors.channelAlreadyExists(name);
  return name;
}

/** A property of a channel that changes. */
export interface ChangedProperty {
  /** Name in the wire format. */
  readonly name: string;
  readonly before: unknown;
  readonly value: string | number | boolean | null;
}

/** The properties by their names in the wire format. */
const properties = {
  invite_only: "inviteOnly",
  history_public_to_subscribers: "historyPublicToSubscribers",
  is_web_public: "isWebPublic",
  is_default_stream: "isDefault",
  message_retention_days: "messageRetentionDays",
  topics_policy: "topicsPolicy",
  description: "description",
  folder_id: "folderId",
  name: "name",
} as const satisfies Readonly<Record<string, keyof NextChannel>>;

/** A channel before the change, and whether it was a default channel. */
type PreviousChannel = Channel & { readonly isDefault: boolean };

/**
 * Returns the properties that change; the name comes last, because clients identify the channel by the old name until
 * then.
 */
export function changedProperties(before: PreviousChannel, next: NextChannel): ChangedProperty[] {
  return Object.entries(properties).flatMap(([name, key]) =>
    before[key] === next[key] ? [] : [{ name, before: before[key], value: next[key] }],
  );
}

const nameOf = (permission: ChannelPermission) => channelPermissions[permission].name;
/** Setting these requires that the actor may read the channel. */
const opening: readonly string[] = readingPermissions.map(nameOf);
const showing: readonly string[] = showingPermissions.map(nameOf);

/**
 * Sets permissions of a channel (channels.md §5.12). The transaction must have locked the channel and the group graph.
 * @throws ApiError `BAD_REQUEST`, `EXPECTATION_MISMATCH`; nothing has changed then
 */
export function changeChannelSettings(
  tx: Tx,
  open: OpenChannel,
  settings: ChannelChanges["settings"],
  systemGroups: SystemGroupIds,
): Promise<ChangedGroupSetting[]> {
  const { id, realmId } = open.channel;
  const owner = { scope: "channel", id, groups: groupsOf(open.channel) } as const;
  return changeGroupSettings(tx, realmId, owner, settings, {
    systemGroups,
    authorize(changes) {
      const names = changes.map(({ name }) => name);
      const forReaders = names.find((name) => opening.includes(name));
      if (forReaders !== undefined && !open.isReadable)
        throw errors.badRequest(
          `You can set ${forReaders} only in channels whose messages you may read`,
        );
      assertCanSetDeletion(open, names);
    },
  });
}

/** Whether the changes may affect which accounts can see the channel. */
export function changesVisibility(settings: readonly ChangedGroupSetting[]): boolean {
  return settings.some(({ name }) => showing.includes(name));
}

function groupsOf(channel: Channel): Record<ChannelPermission, number> {
  const keys = Object.keys(channelPermissions) as ChannelPermission[];
  const groups = keys.map((key) => [key, channel[`${key}Id`]] as const);
  return Object.fromEntries(groups) as Record<ChannelPermission, number>;
}

/** The properties that decide who can see a channel and its history. */
export type Privacy = Pick<Channel, "inviteOnly" | "isWebPublic" | "historyPublicToSubscribers">;

/** Returns the channel's requested privacy; without a request, the current one (channels.md §5.3). */
function proposedPrivacy(channel: Privacy, wanted: ChannelChanges): Privacy {
  const { isPrivate, isWebPublic, historyPublicToSubscribers } = wanted;
  return {
    inviteOnly: isPrivate ?? channel.inviteOnly,
    isWebPublic: isWebPublic ?? channel.isWebPublic,
    historyPublicToSubscribers:
      historyPublicToSubscribers ??
      (isPrivate === undefined ? channel.historyPublicToSubscribers : !isPrivate),
  };
}

/**
 * Checks the new privacy, and whether the actor may set it (channels.md §5, steps 3 to 5, in that order).
 * @param isDefault whether it will be a default channel
 * @throws ApiError `BAD_REQUEST`
 */
function checkPrivacy(
  open: OpenChannel,
  wanted: ChannelChanges,
  proposed: Privacy,
  isDefault: boolean,
  systemGroups: SystemGroupIds,
): void {
  checkCombination(proposed, isDefault);
  if (wanted.isPrivate !== undefined) {
    if (!open.isReadable)
      throw errors.badRequest(
        "You can change is_private only in channels whose messages you may read",
      );
    assertCanMake(open, wanted.isPrivate ? "private" : "public");
  }
  if (wanted.isWebPublic === true) assertCanMakeWebPublic(open);
  const topics = wanted.settings.canCreateTopicGroup;
  const affectsTopicCreation =
    topics !== undefined ||
    wanted.isPrivate !== undefined ||
    wanted.historyPublicToSubscribers !== undefined;
  if (proposed.historyPublicToSubscribers || !affectsTopicCreation) return;
  checkTopicsOfProtectedHistory(
    topics
      ? canonicalGroupValue(topics.new, systemGroups["role:nobody"])
      : open.channel.canCreateTopicGroupId,
    systemGroups["role:everyone"],
  );
}

function checkCombination(
  { inviteOnly, isWebPublic, historyPublicToSubscribers }: Privacy,
  isDefault: boolean,
): void {
  if (isWebPublic && !historyPublicToSubscribers)
    throw errors.badRequest("The history of a web-public channel cannot be protected");
  if (isWebPublic && inviteOnly) throw errors.badRequest("A web-public channel cannot be private");
  if (!inviteOnly && !historyPublicToSubscribers)
    throw errors.badRequest("The history of a public channel cannot be protected");
  if (inviteOnly && isDefault) throw errors.badRequest("A default channel cannot be private");
}

/**
 * Reads the channel's last entry in `messages_topic_idx`, however many messages there are. An EXISTS query for a topic
 * greater than the empty one would scan all messages, because PostgreSQL estimates that a third of them match.
 */
const last = statement({
  name: "last-topic-of-channel",
  text: `SELECT m.topic FROM messages m
    WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
    ORDER BY lower(m.topic) DESC, m.id LIMIT 1`,
});

/**
 * Checks that all messages of a channel are in the empty topic, as `empty_topic_only` requires (channels.md §5.9).
 * `lockChannels` must block concurrent sends.
 * @throws ApiError `BAD_REQUEST`
 */
async function checkHasNoTopics(tx: Tx, channelId: number): Promise<void> {
  const [message] = await tx.rows(last, [channelId]);
  if (message && message.topic !== "")
    throw errors.badRequest(
      "topics_policy cannot be empty_topic_only: the channel has messages in other topics",
    );
}

/** The checked changes of a channel; its permissions are already stored. */
export interface CheckedChanges {
  /** The channel before the change. */
  readonly before: Channel;
  readonly next: NextChannel;
  readonly properties: readonly ChangedProperty[];
  readonly settings: readonly ChangedGroupSetting[];
}
