import { type Channel, type SystemGroupIds, canonicalGroupValue } from "@carillon/model";
import { errors } from "@carillon/contract";

import type { OpenChannel } from "../rights/open-channel.ts";
import {
  checkMayHave,
  checkMayHaveWebPublic,
  checkTopicsOfProtectedHistory,
} from "../rights/privacy-rights.ts";
import type { ChannelChanges } from "./channel-changes.ts";

/** Who sees a channel and its history. */
export type Privacy = Pick<Channel, "inviteOnly" | "isWebPublic" | "historyPublicToSubscribers">;

/** What the channel's privacy is to be: what is asked for, over what it is (channels.md §5.3). */
export function proposedPrivacy(channel: Privacy, wanted: ChannelChanges): Privacy {
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
 * Whether the channel may become so, and the actor may make it so (channels.md §5, steps 3 to 5, in that order).
 * @param isDefault whether it is to be a default channel
 * @throws ApiError `BAD_REQUEST`
 */
export function checkPrivacy(
  open: OpenChannel,
  wanted: ChannelChanges,
  proposed: Privacy,
  isDefault: boolean,
  systemGroups: SystemGroupIds,
): void {
  checkCombination(proposed, isDefault);
  if (wanted.isPrivate !== undefined) {
    if (!open.isReadable)
      throw errors.badRequest("Only who may read a channel decides whether it is private");
    checkMayHave(open, wanted.isPrivate ? "private" : "public");
  }
  if (wanted.isWebPublic === true) checkMayHaveWebPublic(open);
  const topics = wanted.settings.canCreateTopicGroup;
  const isConcerned =
    topics !== undefined ||
    wanted.isPrivate !== undefined ||
    wanted.historyPublicToSubscribers !== undefined;
  if (proposed.historyPublicToSubscribers || !isConcerned) return;
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
