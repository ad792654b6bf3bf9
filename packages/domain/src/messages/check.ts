import { ApiError, errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import {
  parseMessage,
  RenderLimitError,
  renderMessage,
  type ParsedMessage,
  type RenderedMessage,
} from "@carillon/markdown";

import type { Realm } from "../realms/realm.ts";
import { setting } from "../settings/setting.ts";
import type { Account } from "../users/account.ts";
import { loadCheckFacts, ownerOf, beginTopic, type CheckFacts } from "./check-facts.ts";
import { normaliseContent } from "./content.ts";
import { checkDirectPermission } from "./direct-permission.ts";
import type { CheckedMessage, Draft, Target } from "./draft.ts";
import { loadMentionLookups, type MentionLookups } from "./mention-lookups.ts";
import { checkMentions } from "./mention-permission.ts";
import { checkPosting, mayCreateTopic } from "./posting.ts";
import { memberKey, membersOf } from "./recipients.ts";
import { checkTopicsPolicy, normaliseTopic } from "./topic.ts";
import { topicName } from "./topics.ts";

/**
 * The one checker: whether each message may be sent now, and if so in which form (scheduled-messages.md §0.2–0.4).
 * Scheduling, editing, sending and the delivery of a whole batch ask it alike. Drafts are looked at in order, each
 * seeing what those before it begin.
 *
 * @param known an account as it is now, which need not be read again
 * @returns for each draft the message, or the refusal as a value: one refusal does not touch the others
 */
export async function checkMessages(
  sql: Sql,
  site: { readonly url: string },
  realm: Realm,
  drafts: readonly Draft[],
  known?: Account,
): Promise<Array<CheckedMessage | ApiError>> {
  const texts = drafts.map((draft) => ({
    draft,
    topic: attempt(() => topicOf(draft, realm)),
    content: attempt(() => normaliseContent(draft.content)),
  }));
  const facts = await loadCheckFacts(
    sql,
    realm,
    texts.map(({ draft, topic }) => ({
      draft,
      topic: topic instanceof ApiError ? undefined : topic,
    })),
    known,
  );
  const parsed = texts.map(({ draft, content }) =>
    content instanceof ApiError
      ? undefined
      : parseMessage(content, { translateEmoticons: translatesEmoticons(facts, draft.senderId) }),
  );
  const lookups = await loadMentionLookups(
    sql,
    realm,
    site.url,
    parsed.filter((text) => text !== undefined),
  );
  const results: Array<CheckedMessage | ApiError> = [];
  for (const [i, text] of texts.entries()) {
    try {
      results.push(await check(sql, facts, lookups, { ...text, parsed: parsed[i] }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      results.push(error);
    }
  }
  return results;
}

/**
 * The same for one message of the account that sends the request.
 * @throws ApiError the refusal
 */
export async function checkMessage(
  sql: Sql,
  site: { readonly url: string },
  realm: Realm,
  actor: Account,
  draft: Omit<Draft, "senderId">,
): Promise<CheckedMessage> {
  const own = { ...draft, senderId: actor.id };
  const [result] = await checkMessages(sql, site, realm, [own], actor);
  if (!result || result instanceof ApiError) throw result ?? new Error("no result for the draft");
  return result;
}

interface DraftTexts {
  draft: Draft;
  topic: string | ApiError;
  content: string | ApiError;
  parsed: ParsedMessage | undefined;
}

async function check(
  sql: Sql,
  facts: CheckFacts,
  lookups: MentionLookups,
  { draft, topic, content, parsed }: DraftTexts,
): Promise<CheckedMessage> {
  if (topic instanceof ApiError) throw topic;
  const sender = facts.accounts.get(draft.senderId);
  if (!sender) throw new Error(`there is no account ${draft.senderId} in this organization`);
  const participants = participantsOf(facts, draft);
  if (content instanceof ApiError) throw content;
  if (!parsed) throw new Error("a content without its parsed text");
  const target: Target = participants
    ? directTarget(facts, sender, participants)
    : channelTarget(facts, sender, draft, topic);
  const rendered = await render(parsed, sender, lookups);
  await checkMentions(sql, facts, lookups.groupsById, { sender, target, topic, rendered });
  if (target.kind === "channel")
    beginTopic(facts, { recipientId: target.channel.recipientId, topic });
  else facts.begun.add(memberKey(target.members));
  const mentionedFollowers = rendered.mentionedUserIds.filter(
    (id) => id !== sender.id && lookups.usersById.get(id)?.followsWhereMentioned,
  );
  return { sender, target, topic, content, rendered, mentionedFollowers };
}

function topicOf(draft: Draft, realm: Realm): string {
  return draft.destination.kind === "channel" ? normaliseTopic(draft.topic, realm) : "";
}

/** Everybody in a direct conversation; undefined for a channel message. */
function participantsOf(
  facts: CheckFacts,
  { senderId, destination }: Draft,
): Account[] | undefined {
  if (destination.kind === "channel") return undefined;
  if (destination.userIds.length === 0) throw errors.badRequest("to must name at least one user");
  return membersOf(senderId, destination.userIds).map((id) => {
    const account = facts.accounts.get(id);
    if (!account) throw errors.badRequest(`There is no user with the ID ${id}`);
    return account;
  });
}

function directTarget(facts: CheckFacts, sender: Account, participants: Account[]): Target {
  const inactive = participants.find(({ id, isActive }) => !isActive && id !== sender.id);
  if (inactive) throw errors.badRequest(`The user ${inactive.id} is deactivated`);
  const members = participants.map(({ id }) => id);
  const key = memberKey(members);
  const exists = facts.begun.has(key) || facts.directs.get(key)?.hasMessages === true;
  checkDirectPermission(sender, participants, exists, facts.realm, facts.memberships);
  return { kind: "direct", members, participants };
}

function channelTarget(facts: CheckFacts, sender: Account, draft: Draft, topic: string): Target {
  const { destination } = draft;
  if (destination.kind !== "channel") throw new Error("not a channel message");
  const channel = facts.channels.get(destination.channelId);
  if (!channel) throw errors.streamDoesNotExist({ stream_id: destination.channelId });
  const owner = ownerOf(facts, sender);
  checkPosting(sender, owner, channel, facts.memberships);
  if (
    !mayCreateTopic(sender, owner, channel, facts.memberships) &&
    !facts.begun.has(topicName({ recipientId: channel.recipientId, topic }))
  )
    throw errors.badRequest("You may not start a topic in this channel");
  checkTopicsPolicy(topic, channel.topicsPolicy, facts.realm);
  return { kind: "channel", channel };
}

async function render(
  parsed: ParsedMessage,
  sender: Account,
  lookups: MentionLookups,
): Promise<RenderedMessage> {
  try {
    return renderMessage(parsed, await lookups.of(parsed, sender));
  } catch (error) {
    if (error instanceof RenderLimitError)
      throw errors.badRequest("content is too large when rendered");
    throw error;
  }
}

function translatesEmoticons(facts: CheckFacts, senderId: number): boolean {
  const sender = facts.accounts.get(senderId);
  return sender !== undefined && setting(sender, "translate_emoticons");
}

/** What `work` gives, or the refusal that it throws. */
function attempt<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
