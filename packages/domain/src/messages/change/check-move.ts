import { channelPermissions, errors, isAtLeast, realmPermissions, roles } from "@carillon/contract";
import {
  type AccessibleMessage,
  type Account,
  type Channel,
  hasMetadataAccess,
  isResolveToggle,
  moveLimit,
  noSuchChannel,
  type PostingChannel,
  resolvedPrefix,
} from "@carillon/model";

import { checkPosting, mayCreateTopic } from "../send/posting.ts";
import { type CheckFacts, ownerOf } from "../send/check-facts.ts";

/** Seconds for a move that was begun in time. */
export const buffer = 20;

/** Another place for messages of a channel. */
export interface Move {
  readonly from: { readonly channel: Channel; readonly topic: string };
  readonly to: { readonly channel: PostingChannel; readonly topic: string };
  /** What becomes of a topic that only gets the mark of those that are resolved, or loses it. */
  readonly toggle: "resolved" | "unresolved" | undefined;
}

export function changesChannel({ from, to }: Move): boolean {
  return from.channel.id !== to.channel.id;
}

export function changesTopic({ from, to }: Move): boolean {
  return from.topic !== to.topic;
}

/** Whether nothing is moved but the mark of resolved topics. */
export function isOnlyToggle(move: Move): boolean {
  return move.toggle !== undefined && !changesChannel(move);
}

export function moveOf(from: Move["from"], to: Move["to"]): Move {
  const becomes = from.topic.startsWith(resolvedPrefix) ? "unresolved" : "resolved";
  return { from, to, toggle: isResolveToggle(from.topic, to.topic) ? becomes : undefined };
}

/**
 * The channel that messages are to be moved to, as the account itself must know it.
 * @throws ApiError `BAD_REQUEST`
 */
export function targetOf(facts: CheckFacts, actor: Account, channelId: number): PostingChannel {
  const channel = facts.channels.get(channelId);
  const seen =
    channel &&
    hasMetadataAccess(actor, channel, facts.memberships, channel.subscribed.has(actor.id));
  if (!seen) throw noSuchChannel(channelId);
  return channel;
}

/**
 * Whether the account may give the message another topic; one that is only resolved is no such.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkTopicRights(
  { realm, memberships }: CheckFacts,
  actor: Account,
  { sentAt }: Pick<AccessibleMessage, "sentAt">,
  { from: { channel }, toggle }: Move,
): void {
  const { groups } = realm;
  if (toggle) {
    if (
      !memberships.holds(
        actor,
        realmPermissions.canResolveTopicsGroup,
        groups.canResolveTopicsGroup,
      ) &&
      !memberships.holds(
        actor,
        channelPermissions.canResolveTopicsGroup,
        channel.canResolveTopicsGroupId,
      )
    )
      throw errors.badRequest("You may not resolve topics, nor take that back");
    return;
  }
  if (
    !memberships.holds(
      actor,
      realmPermissions.canMoveMessagesBetweenTopicsGroup,
      groups.canMoveMessagesBetweenTopicsGroup,
    ) &&
    !memberships.holds(
      actor,
      channelPermissions.canMoveMessagesWithinChannelGroup,
      channel.canMoveMessagesWithinChannelGroupId,
    )
  )
    throw errors.badRequest("You may not move this message to another topic");
  checkMoveLimit(actor, realm.now - sentAt);
}

/**
 * Whether the account may take the message to another channel.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkChannelRights(
  facts: CheckFacts,
  actor: Account,
  { sentAt }: Pick<AccessibleMessage, "sentAt">,
  { from, to }: Move,
): void {
  const { realm, memberships } = facts;
  if (
    !memberships.holds(
      actor,
      realmPermissions.canMoveMessagesBetweenChannelsGroup,
      realm.groups.canMoveMessagesBetweenChannelsGroup,
    ) &&
    !memberships.holds(
      actor,
      channelPermissions.canMoveMessagesOutOfChannelGroup,
      from.channel.canMoveMessagesOutOfChannelGroupId,
    )
  )
    throw errors.badRequest("You may not move this message to another channel");
  checkPosting(actor, ownerOf(facts, actor), to.channel, memberships);
  checkMoveLimit(actor, realm.now - sentAt);
}

/**
 * Whether the account may begin the topic that messages come to; the other name of a topic that is resolved, or is so no
 * more, begins none.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkNewTopic(facts: CheckFacts, actor: Account, move: Move, begun: boolean): void {
  if (begun || isOnlyToggle(move)) return;
  if (!mayCreateTopic(actor, ownerOf(facts, actor), move.to.channel, facts.memberships))
    throw errors.badRequest("You may not start a topic in this channel");
}

/** Whom no limit of time keeps from moving messages. */
export function movesAnyAge(actor: Account): boolean {
  return isAtLeast(actor, roles.moderator);
}

function checkMoveLimit(actor: Account, age: number): void {
  if (age > moveLimit + buffer && !movesAnyAge(actor))
    throw errors.badRequest(`Messages may be moved for ${moveLimit} seconds after they were sent`);
}
