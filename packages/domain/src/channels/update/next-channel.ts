import {
  type Channel,
  type SystemGroupIds,
  checkChannelName,
  checkVisible,
  isOrganizationAdministrator,
  loadChannelsByName,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkMayReturn } from "../archive/unarchive-channel.ts";
import type { OpenChannel } from "../rights/open-channel.ts";
import {
  checkFolder,
  checkMaySetRetention,
  checkMaySetTopicsPolicy,
  retentionDays,
} from "../rights/property-rights.ts";
import type { ChannelChanges } from "./channel-changes.ts";
import { checkHasNoTopics } from "./only-topic.ts";
import { checkPrivacy, proposedPrivacy, type Privacy } from "./privacy.ts";

/** A description as it is stored. */
export interface Description {
  readonly description: string;
  readonly renderedDescription: string;
}

/** What a channel is to be like, its permissions aside. */
export interface NextChannel
  extends
    Privacy,
    Description,
    Pick<Channel, "name" | "messageRetentionDays" | "topicsPolicy" | "folderId"> {
  /** Whether new members are subscribed to it. */
  readonly isDefault: boolean;
}

interface NextChannelFacts {
  /** Checked already, where there is to be another. */
  readonly description: Description | undefined;
  /** Whether it is a default channel so far. */
  readonly isDefault: boolean;
  readonly systemGroups: SystemGroupIds;
}

/**
 * What the channel is to be like, checked in the documented order (channels.md §5, steps 3 to 11).
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
    throw errors.unauthorizedPrincipal("Only administrators decide about default channels");
  if (isDefault && channel.isArchived && wanted.isArchived !== false)
    throw errors.badRequest("An archived channel cannot be a default one");
  if (wanted.messageRetentionDays !== undefined) checkMaySetRetention(actor);
  if (wanted.isArchived === false) checkMayReturn({ ...channel, ...privacy });
  if (wanted.topicsPolicy !== undefined) {
    checkMaySetTopicsPolicy(open);
    const narrowed = wanted.topicsPolicy !== channel.topicsPolicy;
    if (narrowed && wanted.topicsPolicy === "empty_topic_only")
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

/** Nobody creates or renames a channel meanwhile: the transaction has the group graph alone. */
async function newName(tx: Tx, { channel }: OpenChannel, asked: string): Promise<string> {
  if (asked.trim() === channel.name) throw errors.badRequest("The channel has this name already");
  const name = checkChannelName(asked);
  checkVisible("The name of a channel", name);
  const holder = (await loadChannelsByName(tx, channel.realmId, [name])).get(name);
  if (holder && holder.id !== channel.id) throw errors.channelAlreadyExists(name);
  return name;
}
