import {
  type Account,
  type ChannelTopic,
  type DirectRecipient,
  type MessageInput,
  type Folding,
  type Memberships,
  type PostingChannel,
  type Realm,
  type UserVisibility,
  askFolding,
  channelsOf,
  countParticipants,
  existingTopics,
  findDirectRecipients,
  loadAccounts,
  loadMembershipsWithOwners,
  loadPostingChannels,
  loadRealm,
  loadUserVisibility,
  memberKey,
  membersOf,
  possibleTopics,
  foldedTopicKey,
} from "@carillon/model";
import { isGuest, knowableId } from "@carillon/contract";
import { inOneStatement, type Sql } from "@carillon/db";
import type { ParsedMessage } from "@carillon/markdown";

import { loadMentionLookups, type MentionLookups } from "./mention-lookups.ts";

/** Wildcard mentions of up to this many subscribers or participants need no permission. */
export const manyUsers = 15;

/**
 * All data that the check of a batch reads, from one snapshot: permissions and memberships never come from two states
 * (docs/decisions/012). Read by one statement, whatever the size of the batch. Also holds what an earlier message of the
 * batch changes for a later one.
 */
export interface CheckFacts {
  readonly realm: Realm;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly memberships: Memberships;
  readonly channels: ReadonlyMap<number, PostingChannel>;
  readonly directs: ReadonlyMap<string, DirectRecipient>;
  /** Topics with a message, in channels that restrict new topics, and topics and conversations that the batch starts. */
  readonly started: Set<string>;
  /** Folds the inputs' topics. */
  readonly folding: Folding;
  /**
   * How many accounts have sent or reacted in a topic, by {@link exactTopicKey}, for texts that mention its participants.
   * A topic with more than {@link manyUsers} senders counts as having one more than that.
   */
  readonly participants: ReadonlyMap<string, number>;
  readonly lookups: MentionLookups;
  /** The users that senders of direct messages can see, for senders who cannot see all. */
  readonly userVisibilities: Map<number, UserVisibility>;
}

/** An input and its parsed text; undefined for a text that cannot be sent. */
export interface ReadInput {
  readonly input: MessageInput;
  readonly parsed: ParsedMessage | undefined;
}

/** Loads the facts for the checks of these messages, by one statement. */
export async function loadCheckFacts(
  sql: Sql,
  realmId: number,
  organizationUrl: string,
  inputs: readonly ReadInput[],
): Promise<CheckFacts> {
  const accountIds = knowable(
    inputs.flatMap(({ input: { senderId, destination } }) =>
      destination.kind === "direct" ? [senderId, ...destination.userIds] : [senderId],
    ),
  );
  const senderIds = distinct(inputs.map(({ input }) => input.senderId));
  const channelIds = channelsOf(inputs.map(({ input }) => input.destination));
  const mentioningTopic = inputs.filter(({ parsed }) => parsed?.hasWildcard.topic);
  const topics = topicsOf(inputs);
  const texts = inputs.flatMap(({ input, parsed }) =>
    parsed ? [{ parsed, authorId: input.senderId }] : [],
  );
  return inOneStatement(sql, async (one) => {
    const [
      realm,
      accounts,
      memberships,
      channels,
      directs,
      existing,
      folding,
      participants,
      lookups,
    ] = await Promise.all([
      loadRealm(one, realmId),
      loadAccounts(one, realmId, accountIds),
      loadMembershipsWithOwners(one, accountIds),
      loadPostingChannels(one, realmId, channelIds, senderIds),
      findDirectRecipients(one, realmId, conversationsOf(inputs)),
      existingTopics(one, realmId, topics),
      askFolding(
        one,
        topics.map(({ topic }) => topic),
      ),
      countParticipants(one, realmId, topicsOf(mentioningTopic), manyUsers + 1),
      loadMentionLookups(one, realmId, organizationUrl, texts),
    ]);
    return {
      realm,
      accounts,
      memberships,
      channels,
      directs,
      started: new Set(existing.map((topic) => foldedTopicKey(topic, folding))),
      folding,
      participants,
      lookups,
      userVisibilities: new Map<number, UserVisibility>(),
    };
  });
}

/**
 * Adds the users that guests who send direct messages can see, if the organization restricts that: one more
 * statement, for these messages only.
 */
export async function loadUserVisibilities(
  sql: Sql,
  { realm, accounts, userVisibilities }: CheckFacts,
  inputs: readonly MessageInput[],
): Promise<void> {
  if (!realm.restrictsGuests) return;
  for (const { senderId, destination } of inputs) {
    const sender = accounts.get(senderId);
    if (!sender || destination.kind !== "direct" || !isGuest(sender)) continue;
    if (!userVisibilities.has(senderId))
      userVisibilities.set(senderId, await loadUserVisibility(sql, sender));
  }
}

/** Returns the owner of a bot, whose permissions and subscriptions the bot may use; undefined for other accounts. */
export function ownerOf(facts: CheckFacts, account: Account): Account | undefined {
  return account.botOwnerId === null ? undefined : facts.accounts.get(account.botOwnerId);
}

function conversationsOf(inputs: readonly ReadInput[]) {
  const conversations = inputs.flatMap(({ input }) =>
    input.destination.kind === "direct"
      ? [membersOf(input.senderId, input.destination.userIds)]
      : [],
  );
  return [...new Map(conversations.map((members) => [memberKey(members), members])).values()];
}

/** Returns the topics that the inputs may have: the organization's name for the empty topic is not known yet. */
function topicsOf(inputs: readonly ReadInput[]): ChannelTopic[] {
  return inputs.flatMap(({ input: { destination, topic } }) => {
    if (destination.kind !== "channel" || knowableId(destination.channelId) === 0) return [];
    const { channelId } = destination;
    return possibleTopics(topic).map((possible) => ({ channelId, topic: possible }));
  });
}

/** Removes duplicates, and ids that do not fit the column: PostgreSQL would reject the statement. */
function knowable(ids: readonly number[]): number[] {
  return distinct(ids).filter((id) => knowableId(id) !== 0);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
