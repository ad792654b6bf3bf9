import {
  type Account,
  type Memberships,
  type PostingChannel,
  hasContentAccess,
  hasMetadataAccess,
  hasProtectedHistory,
} from "@carillon/model";
import { errors, channelPermissions } from "@carillon/contract";

/**
 * Checks that the account may post in the channel (scheduled-messages.md §0.4, steps 2 to 5, in that order). A bot may
 * use its owner's permission and subscription. Owners and administrators have no extra right.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkPosting(
  sender: Account,
  owner: Account | undefined,
  channel: PostingChannel,
  memberships: Memberships,
): void {
  if (!canSee(sender, owner, channel, memberships))
    throw errors.badRequest("You may not send messages to this channel: you do not see it");
  if (
    !holdsOrOwner("canSendMessageGroup", channel.canSendMessageGroupId, sender, owner, memberships)
  )
    throw errors.badRequest("You may not send messages to this channel");
  if (channel.isArchived) throw errors.badRequest("This channel is archived");
  if (!reaches(sender, owner, channel, memberships))
    throw errors.badRequest("You may not send messages to this channel: subscribe to it first");
}

/** Whether the account, or its owner for a bot, has metadata access to the channel. */
export function canSee(
  sender: Account,
  owner: Account | undefined,
  channel: PostingChannel,
  memberships: Memberships,
): boolean {
  return (
    (owner !== undefined && channel.subscribed.has(owner.id)) ||
    hasMetadataAccess(sender, channel, memberships, channel.subscribed.has(sender.id))
  );
}

/** Whether the account may start a topic in the channel (step 6). */
export function canCreateTopic(
  sender: Account,
  owner: Account | undefined,
  channel: PostingChannel,
  memberships: Memberships,
): boolean {
  return holdsOrOwner(
    "canCreateTopicGroup",
    channel.canCreateTopicGroupId,
    sender,
    owner,
    memberships,
  );
}

function holdsOrOwner(
  permission: "canSendMessageGroup" | "canCreateTopicGroup",
  groupId: number,
  sender: Account,
  owner: Account | undefined,
  memberships: Memberships,
): boolean {
  const declared = channelPermissions[permission];
  return (
    memberships.holds(sender, declared, groupId) ||
    (owner !== undefined && memberships.holds(owner, declared, groupId))
  );
}

/** Whether the sender has content access, or its owner a subscription; protected history requires a subscription. */
function reaches(
  sender: Account,
  owner: Account | undefined,
  channel: PostingChannel,
  memberships: Memberships,
): boolean {
  if (owner && channel.subscribed.has(owner.id)) return true;
  const subscribed = channel.subscribed.has(sender.id);
  return (
    hasContentAccess(sender, channel, memberships, subscribed) &&
    (subscribed || !hasProtectedHistory(channel))
  );
}
