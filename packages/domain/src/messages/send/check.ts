import {
  type Account,
  type CheckedMessage,
  type MessageInput,
  type Realm,
  type Target,
  checkNewTopicVisible,
  checkTopicsPolicy,
  fullUserVisibility,
  memberKey,
  membersOf,
  normaliseContent,
  normaliseTopic,
  setting,
  foldedTopicKey,
} from "@carillon/model";
import { ApiError, errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  RenderLimitError,
  renderMessage,
  type ParsedMessage,
  type RenderedMessage,
} from "@carillon/markdown";

import { attempt } from "./attempt.ts";
import { loadCheckFacts, loadUserVisibilities, ownerOf, type CheckFacts } from "./check-facts.ts";
import { checkDirectPermission } from "./direct-permission.ts";
import { checkMentions } from "./mention-permission.ts";
import { checkPosting, canCreateTopic, canSee } from "./posting.ts";
import { TextParser } from "./text-parser.ts";
import { boundedWidget, widgetOf } from "./widget.ts";

/**
 * Checks whether each message may be sent now, and normalises and renders it (scheduled-messages.md §0.2–0.4). Scheduling,
 * editing, sending, typing and delivery all use this check. It reads one snapshot. Inputs are checked in order, and each
 * sees the topics and conversations that earlier ones start.
 * @returns `results`: for each input its message, or its rejection (`UNAUTHORIZED` if the sender is deactivated), which does
 * not affect the other inputs
 */
export async function checkMessages(
  sql: Sql,
  site: { readonly url: string },
  realmId: number,
  inputs: readonly MessageInput[],
  { started = [], parser = new TextParser() }: CheckOptions = {},
): Promise<{ readonly realm: Realm; readonly results: Array<CheckedMessage | ApiError> }> {
  const texts = await inSlices(inputs, (input): InputText => {
    const content = attempt(() => normaliseContent(input.content));
    const parsed = content instanceof ApiError ? undefined : parser.parse(content);
    return { input, content, parsed };
  });
  const facts = await loadCheckFacts(sql, realmId, site.url, texts);
  for (const conversation of started) facts.started.add(conversation);
  await loadUserVisibilities(sql, facts, inputs);
  const results = await inSlices(texts, (text) => attempt(() => check(facts, parser, text)));
  return { realm: facts.realm, results };
}

/**
 * Checks one message of the account that sends the request.
 * @throws ApiError the rejection
 */
export async function checkMessage(
  sql: Sql,
  site: { readonly url: string },
  actor: Account,
  input: Omit<MessageInput, "senderId">,
): Promise<{ readonly realm: Realm; readonly message: CheckedMessage }> {
  const own = { senderId: actor.id, ...input };
  const { realm, results } = await checkMessages(sql, site, actor.realmId, [own]);
  return { realm, message: onlyMessage(results) };
}

/**
 * Returns the message of the only input that was checked.
 * @throws ApiError its rejection
 */
export function onlyMessage([result]: ReadonlyArray<CheckedMessage | ApiError>): CheckedMessage {
  if (!result || result instanceof ApiError) throw result ?? new Error("no result for the input");
  return result;
}

interface CheckOptions {
  /** Topics and conversations (`begins`) that earlier messages start and that are not committed yet. */
  readonly started?: Iterable<string> | undefined;
  /** Holds texts that were parsed before. */
  readonly parser?: TextParser | undefined;
}

interface InputText {
  readonly input: MessageInput;
  readonly content: string | ApiError;
  readonly parsed: ParsedMessage | undefined;
}

function check(
  facts: CheckFacts,
  parser: TextParser,
  { input, content, parsed }: InputText,
): CheckedMessage {
  const topic = topicOf(input, facts.realm);
  const sender = facts.accounts.get(input.senderId);
  if (!sender) throw new Error(`there is no account ${input.senderId} in this organization`);
  if (!sender.isActive) throw errors.unauthorized();
  const participants = participantsOf(facts, input);
  if (content instanceof ApiError) throw content;
  if (!parsed) throw new Error("the text was not parsed");
  const target: Target = participants
    ? directTarget(facts, sender, participants)
    : channelTarget(facts, sender, input, topic);
  const rendered = renderFor(facts, parsed, sender, parser);
  checkMentions(facts, { sender, target, topic, rendered });
  const widget = input.widget === undefined ? widgetOf(content) : boundedWidget(input.widget);
  const begins = topicOrConversationKey(facts, target, topic);
  facts.started.add(begins);
  const mentionedFollowers = rendered.mentionedUserIds.filter(
    (id) => id !== sender.id && facts.lookups.usersById.get(id)?.followsWhereMentioned,
  );
  const mentionedCallees = rendered.mentionedUserIds.filter(
    (id) => facts.lookups.usersById.get(id)?.isCalled,
  );
  return {
    sender,
    target,
    topic,
    content,
    rendered,
    mentionedFollowers,
    mentionedCallees,
    begins,
    ...(widget === undefined ? {} : { widget }),
  };
}

/** Returns the key of the topic or direct conversation that the message starts unless it exists. */
function topicOrConversationKey({ folding }: CheckFacts, target: Target, topic: string): string {
  return target.kind === "channel"
    ? foldedTopicKey({ recipientId: target.channel.recipientId, topic }, folding)
    : memberKey(target.members);
}

function topicOf(input: MessageInput, realm: Realm): string {
  return input.destination.kind === "channel" ? normaliseTopic(input.topic, realm) : "";
}

/** Returns the participants of a direct conversation; undefined for a channel message. */
function participantsOf(
  facts: CheckFacts,
  { senderId, destination }: MessageInput,
): Account[] | undefined {
  if (destination.kind === "channel") return undefined;
  if (destination.userIds.length === 0) throw errors.badRequest("to must name at least one user");
  const userVisibility = facts.userVisibilities.get(senderId) ?? fullUserVisibility;
  return membersOf(senderId, destination.userIds).map((id) => {
    const account = facts.accounts.get(id);
    if (!account || !userVisibility.sees(account))
      throw errors.badRequest(`There is no user with the ID ${id}`);
    return account;
  });
}

function directTarget(facts: CheckFacts, sender: Account, participants: Account[]): Target {
  const inactive = participants.find(({ id, isActive }) => !isActive && id !== sender.id);
  if (inactive) throw errors.badRequest(`The user ${inactive.id} is deactivated`);
  const members = participants.map(({ id }) => id);
  const key = memberKey(members);
  const exists = facts.started.has(key) || facts.directs.get(key)?.hasMessages === true;
  checkDirectPermission(sender, participants, exists, facts.realm, facts.memberships);
  return { kind: "direct", members, participants };
}

function channelTarget(
  facts: CheckFacts,
  sender: Account,
  input: MessageInput,
  topic: string,
): Target {
  const { destination } = input;
  if (destination.kind !== "channel") throw new Error("not a channel message");
  const { channelId, name } = destination;
  const channel = facts.channels.get(channelId);
  const owner = ownerOf(facts, sender);
  if (!channel || (name !== undefined && !canSee(sender, owner, channel, facts.memberships)))
    throw errors.streamDoesNotExist(
      name === undefined ? { stream_id: channelId } : { stream: name },
    );
  if (input.isReply !== true) checkPosting(sender, owner, channel, facts.memberships);
  else if (channel.isArchived) throw errors.badRequest("This channel is archived");
  if (
    input.isReply !== true &&
    !facts.started.has(foldedTopicKey({ recipientId: channel.recipientId, topic }, facts.folding))
  ) {
    if (!canCreateTopic(sender, owner, channel, facts.memberships))
      throw errors.badRequest("You may not start a topic in this channel");
    if (input.topicIsStored !== true) checkNewTopicVisible(input.topic ?? "", topic);
  }
  checkTopicsPolicy(topic, channel.topicsPolicy, facts.realm);
  return { kind: "channel", channel };
}

/**
 * Parses the text by the sender's settings. The names in the text were looked up before the settings were known, so a name
 * that only appears when emoticons are translated stays plain text.
 */
function parseForSender(parsed: ParsedMessage, sender: Account, parser: TextParser): ParsedMessage {
  return setting(sender, "translate_emoticons") ? parser.parse(parsed.content, true) : parsed;
}

/**
 * Renders a text with the account as its author, and finds its mentions.
 * @throws ApiError `BAD_REQUEST` if it would be too large
 */
export function renderFor(
  facts: Pick<CheckFacts, "realm" | "memberships" | "lookups">,
  text: ParsedMessage,
  author: Account,
  parser = new TextParser(),
): RenderedMessage {
  const parsed = parseForSender(text, author, parser);
  try {
    return renderMessage(parsed, facts.lookups.of(parsed, author, facts));
  } catch (error) {
    if (error instanceof RenderLimitError)
      throw errors.badRequest("content is too large when rendered");
    throw error;
  }
}
