import { knowableId } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { loadMemberships, type Memberships } from "../permissions/memberships.ts";
import type { Realm } from "../realms/realm.ts";
import { loadAccounts, type Account } from "../users/account.ts";
import { loadPostingChannels, type PostingChannel } from "./channel-facts.ts";
import type { Draft } from "./draft.ts";
import { mayCreateTopic } from "./posting.ts";
import { findDirectRecipients, memberKey, membersOf, type DirectRecipient } from "./recipients.ts";
import { existingTopics, topicName, type TopicKey } from "./topics.ts";

/**
 * Everything that checking a batch of drafts has to know, loaded for all of them at once: the number of statements
 * does not grow with the batch. What an earlier message of the batch changes for a later one is noted here.
 */
export interface CheckFacts {
  readonly realm: Realm;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly memberships: Memberships;
  readonly channels: ReadonlyMap<number, PostingChannel>;
  readonly directs: ReadonlyMap<string, DirectRecipient>;
  /** Topics with a message, and conversations that the batch itself begins. */
  readonly begun: Set<string>;
}

/** A draft whose topic has been brought into its stored form; undefined where it could not be. */
export interface NormalisedDraft {
  readonly draft: Draft;
  readonly topic: string | undefined;
}

export async function loadCheckFacts(
  sql: Sql,
  realm: Realm,
  drafts: readonly NormalisedDraft[],
  known: Account | undefined,
): Promise<CheckFacts> {
  const senderIds = distinct(drafts.map(({ draft }) => draft.senderId));
  const participantIds = drafts.flatMap(({ draft }) =>
    draft.destination.kind === "direct" ? draft.destination.userIds : [],
  );
  const wanted = knowable([...senderIds, ...participantIds]);
  // A person who sends to a channel is all there is to know, and has just been read with the credentials.
  const accounts =
    known && !known.isBot && wanted.every((id) => id === known.id)
      ? new Map([[known.id, known]])
      : await loadAccounts(sql, realm.id, wanted);
  const posterIds = distinct(senderIds.flatMap((id) => [id, accounts.get(id)?.botOwnerId ?? id]));
  const channelIds = knowable(
    drafts.flatMap(({ draft: { destination } }) =>
      destination.kind === "channel" ? [destination.channelId] : [],
    ),
  );
  const [memberships, channels, directs] = await Promise.all([
    loadMemberships(sql, [...accounts.keys()]),
    loadPostingChannels(sql, realm.id, channelIds, posterIds),
    findDirectRecipients(sql, realm.id, conversationsOf(drafts)),
  ]);
  const facts = { realm, accounts, memberships, channels, directs, begun: new Set<string>() };
  const topics = await existingTopics(sql, topicsInQuestion(facts, drafts));
  for (const topic of topics) facts.begun.add(topic);
  return facts;
}

/** The owner of a bot, whose permissions and subscriptions it may use. */
export function ownerOf(facts: CheckFacts, account: Account): Account | undefined {
  return account.botOwnerId === null ? undefined : facts.accounts.get(account.botOwnerId);
}

function conversationsOf(drafts: readonly NormalisedDraft[]) {
  const conversations = drafts.flatMap(({ draft }) =>
    draft.destination.kind === "direct"
      ? [membersOf(draft.senderId, draft.destination.userIds)]
      : [],
  );
  return [...new Map(conversations.map((members) => [memberKey(members), members])).values()];
}

/** Whether a topic exists matters only to those who may not start one. */
function topicsInQuestion(facts: CheckFacts, drafts: readonly NormalisedDraft[]): TopicKey[] {
  return drafts.flatMap(({ draft: { senderId, destination }, topic }) => {
    if (destination.kind !== "channel" || topic === undefined) return [];
    const sender = facts.accounts.get(senderId);
    const channel = facts.channels.get(destination.channelId);
    if (!sender || !channel) return [];
    if (mayCreateTopic(sender, ownerOf(facts, sender), channel, facts.memberships)) return [];
    return [{ recipientId: channel.recipientId, topic }];
  });
}

/** Notes that a message to this topic has been let through. */
export function beginTopic(facts: CheckFacts, topic: TopicKey): void {
  facts.begun.add(topicName(topic));
}

/** Without duplicates, and without what no column can hold: the database would refuse even to look for it. */
function knowable(ids: readonly number[]): number[] {
  return distinct(ids).filter((id) => knowableId(id) !== 0);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
