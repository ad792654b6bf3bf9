import { channelPermissions, errors, isAtLeast, realmPermissions, roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import {
  type AccessibleMessage,
  type Account,
  type Channel,
  hasMetadataAccess,
  hasProtectedHistory,
  isPast,
  isResolveToggle,
  noSuchChannel,
  type PostingChannel,
  resolvedPrefix,
} from "@carillon/model";

import { type CheckFacts, ownerOf } from "../send/check-facts.ts";
import { checkPosting, canCreateTopic } from "../send/posting.ts";

/** Grace period in seconds for a request that began within the time limit. */
export const requestBuffer = 20;

/** Source and target of messages that move. */
export interface Move {
  readonly from: { readonly channel: Channel; readonly topic: string };
  readonly to: { readonly channel: PostingChannel; readonly topic: string };
  /** Set if the topics differ only by the mark of resolved topics. */
  readonly toggle: "resolved" | "unresolved" | undefined;
}

export function changesChannel({ from, to }: Move): boolean {
  return from.channel.id !== to.channel.id;
}

export function changesTopic({ from, to }: Move): boolean {
  return from.topic !== to.topic;
}

/** Whether the move only adds or removes the mark of resolved topics. */
export function isOnlyToggle(move: Move): boolean {
  return move.toggle !== undefined && !changesChannel(move);
}

/** Describes a move, and whether it only sets or removes the mark of resolved topics. */
export function moveOf(from: Move["from"], to: Move["to"]): Move {
  const becomes = from.topic.startsWith(resolvedPrefix) ? "unresolved" : "resolved";
  return { from, to, toggle: isResolveToggle(from.topic, to.topic) ? becomes : undefined };
}

/**
 * Returns the target channel if the account can see its metadata.
 * @throws ApiError `BAD_REQUEST` if not
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
 * Checks that the account may change the message's topic, or may resolve topics if only the mark changes.
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
      throw errors.badRequest("You may not resolve or unresolve topics");
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
  checkMoveLimit(actor, realm.now - sentAt, realm.moveWithinChannelLimit);
}

/**
 * Checks that the account may move the message to another channel.
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
  checkMoveLimit(actor, realm.now - sentAt, realm.moveBetweenChannelsLimit);
}

/**
 * Checks that the account may create the target topic if it is new. Resolving or unresolving a topic creates none.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkNewTopic(facts: CheckFacts, actor: Account, move: Move, begun: boolean): void {
  if (begun || isOnlyToggle(move)) return;
  if (!canCreateTopic(actor, ownerOf(facts, actor), move.to.channel, facts.memberships))
    throw errors.badRequest("You may not start a topic in this channel");
}

/** Whether the account may move messages of any age. */
export function movesAnyAge(actor: Account): boolean {
  return isAtLeast(actor, roles.moderator);
}

function checkMoveLimit(actor: Account, age: number, limit: number | null): void {
  if (isPast(age, limit, requestBuffer) && !movesAnyAge(actor))
    throw errors.badRequest(`You can move messages only within ${limit} seconds of sending`);
}

/** Returns the shortest limit of the move in seconds; null if it has none. */
function limitOf(
  move: Move,
  { moveWithinChannelLimit, moveBetweenChannelsLimit }: CheckFacts["realm"],
): number | null {
  const limits = [
    changesTopic(move) && !move.toggle ? moveWithinChannelLimit : null,
    changesChannel(move) ? moveBetweenChannelsLimit : null,
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

const ages = statement({
  name: "ages-in-topic",
  text: `SELECT count(*)::int AS all, count(*) FILTER (WHERE m.sent_at >= now() - make_interval(secs => $4))::int AS movable,
      min(m.id) FILTER (WHERE m.sent_at >= now() - make_interval(secs => $4)) AS "firstMovable"
    FROM messages m WHERE m.recipient_id = $1 AND m.is_channel AND lower(m.topic) = lower($2)
      AND ($3::int IS NULL OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id))`,
});

/**
 * Checks that the account may move every message of the topic that it can see, by age.
 * @throws ApiError `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`
 */
export async function checkAges(
  tx: Tx,
  actor: Account,
  realm: CheckFacts["realm"],
  { recipientId }: Pick<AccessibleMessage, "recipientId">,
  move: Move,
): Promise<void> {
  const limit = limitOf(move, realm);
  if (limit === null) return;
  const { channel, topic } = move.from;
  const receiver = hasProtectedHistory(channel) ? actor.id : null;
  const found = await tx.first(ages, [recipientId, topic, receiver, limit + requestBuffer]);
  if (!found || found.movable === found.all) return;
  throw errors.moveMessagesTimeLimitExceeded({
    first_message_id_allowed_to_move: found.firstMovable,
    total_messages_in_topic: found.all,
    total_messages_allowed_to_move: found.movable,
  });
}
