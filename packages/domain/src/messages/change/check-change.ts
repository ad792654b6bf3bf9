import { createHash } from "node:crypto";

import { ApiError, errors, knowableId, type PropagateMode } from "@carillon/contract";
import { type RowOf, statement, type Tx } from "@carillon/db";
import { type ParsedMessage, parseMessage, type RenderedMessage } from "@carillon/markdown";
import {
  type AccessibleMessage,
  type Account,
  checkContentEditable,
  checkNewTopicVisible,
  checkTopicsPolicy,
  type Destination,
  type MessageInput,
  normaliseContent,
  normaliseTopic,
  type Realm,
  resolvedPrefix,
  type Site,
  foldedTopicKey,
} from "@carillon/model";

import { type CheckFacts, loadCheckFacts, type ReadInput } from "../send/check-facts.ts";
import { renderFor } from "../send/check.ts";
import { checkMentions } from "../send/mention-permission.ts";
import {
  requestBuffer,
  changesChannel,
  changesTopic,
  checkAges,
  checkChannelRights,
  checkNewTopic,
  checkTopicRights,
  type Move,
  moveOf,
  movesAnyAge,
  targetOf,
} from "./check-move.ts";

/** A new content and its rendering. */
export interface NewText {
  readonly content: string;
  readonly rendered: RenderedMessage;
}

/** The change to apply, after all checks have passed. */
export interface CheckedChange {
  readonly realm: Realm;
  /** undefined if the content does not change */
  readonly text: NewText | undefined;
  readonly move: Move | undefined;
}

/** Stored instead of an empty new content. */
const deleted = "(deleted)";

/**
 * Checks whether the account may make the change, in the order of messages.md §6.2. All facts come from one snapshot; a
 * caller that applies the change must hold the locks that keep them unchanged.
 * @param stored the current content; undefined if the request has no new content
 * @throws ApiError the first failed check
 */
export async function checkChange(
  tx: Tx,
  site: Site,
  actor: Account,
  message: AccessibleMessage,
  wanted: WantedChange,
  stored: StoredText | undefined,
): Promise<CheckedChange> {
  const content = wanted.content === undefined ? undefined : contentOf(wanted.content);
  const parsed = content === undefined ? undefined : parseMessage(content);
  const facts = await loadCheckFacts(
    tx,
    actor.realmId,
    site.url,
    inputsOf(actor, message, wanted, content, parsed),
  );
  const { realm } = facts;
  if (content !== undefined)
    checkContentEditable(actor, message, realm, wanted.atAnyAge ? Infinity : requestBuffer);
  const place = newPlace(message, wanted, realm);
  if (content === undefined && !place) throw errors.badRequest("There is nothing to change");
  if (place && message.channelId === null)
    throw errors.badRequest("Direct messages have no topic and cannot be moved");
  if (!place && wanted.propagateMode !== "change_one")
    throw errors.badRequest(
      "propagate_mode is allowed only for a move: send topic or stream_id too",
    );
  checkResolvable(place?.topic, realm);
  if (content !== undefined && place?.channelId !== undefined)
    throw errors.badRequest("content cannot be changed together with stream_id");
  if (content !== undefined) checkReplaceable(stored, wanted.previousHash);
  const move = place && movePlanned(facts, actor, message, place);
  if (move) checkTopicsPolicy(move.to.topic, move.to.channel.topicsPolicy, realm);
  if (move && changesTopic(move)) checkTopicRights(facts, actor, message, move);
  const text = parsed && { content: parsed.content, rendered: renderFor(facts, parsed, actor) };
  if (text) checkMentionRights(facts, actor, message, text.rendered);
  if (move && changesChannel(move)) checkChannelRights(facts, actor, message, move);
  if (move && wanted.propagateMode === "change_all" && !movesAnyAge(actor))
    await checkAges(tx, actor, realm, message, move);
  if (move) {
    const { channel, topic } = move.to;
    const begun = facts.started.has(
      foldedTopicKey({ recipientId: channel.recipientId, topic }, facts.folding),
    );
    checkNewTopic(facts, actor, move, begun);
    const isAnother = changesTopic(move) && !move.toggle;
    if (!begun && isAnother) checkNewTopicVisible(wanted.topic ?? topic, topic);
  }
  return { realm, text: text?.content === stored?.content ? undefined : text, move };
}

function contentOf(raw: string): string {
  return raw.trim() === "" ? deleted : normaliseContent(raw);
}

/**
 * Returns the message as it would be sent to its current place and to its new one, to load the facts that the checks
 * need.
 */
function inputsOf(
  { id: senderId }: Account,
  { channelId, memberIds, topic }: AccessibleMessage,
  wanted: WantedChange,
  content = "",
  parsed?: ParsedMessage,
): ReadInput[] {
  const here: Destination =
    channelId === null
      ? { kind: "direct", userIds: memberIds ?? [] }
      : { kind: "channel", channelId };
  const input: MessageInput = { senderId, destination: here, topic, content };
  if (channelId === null) return [{ input, parsed }];
  const destination: Destination = { kind: "channel", channelId: targetId(wanted) ?? channelId };
  const next = { ...input, destination, topic: wanted.topic ?? topic };
  return [
    { input, parsed },
    { input: next, parsed: undefined },
  ];
}

/** The requested new place. */
interface NewPlace {
  /** The error if no message can have the topic. */
  readonly topic: string | ApiError | undefined;
  readonly channelId: number | undefined;
}

/** Returns the new place; undefined if the message stays. */
function newPlace(
  message: AccessibleMessage,
  wanted: WantedChange,
  realm: Realm,
): NewPlace | undefined {
  const named = wanted.topic === undefined ? undefined : topicOf(wanted.topic, realm);
  const topic = named === message.topic ? undefined : named;
  const target = targetId(wanted);
  const channelId = target === message.channelId ? undefined : target;
  return topic === undefined && channelId === undefined ? undefined : { topic, channelId };
}

function topicOf(raw: string, realm: Realm): string | ApiError {
  try {
    return normaliseTopic(raw, realm);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * Checks that a message can have the new topic, and that a resolved topic has a name.
 * @throws ApiError `BAD_REQUEST`
 */
function checkResolvable(topic: NewPlace["topic"], realm: Realm): void {
  if (topic instanceof ApiError) throw topic;
  if (topic === resolvedPrefix.trim() || topic === resolvedPrefix + realm.emptyTopicDisplayName)
    throw errors.badRequest("The empty topic cannot be resolved");
}

function checkReplaceable(stored: StoredText | undefined, previousHash: string | undefined): void {
  if (!stored) throw new Error("stored content was not loaded");
  if (stored.isWidget) throw errors.badRequest("The content of a widget cannot be changed");
  if (previousHash === undefined) return;
  const hash = createHash("sha256").update(stored.content).digest("hex");
  if (previousHash.toLowerCase() !== hash) throw errors.expectationMismatch("prev_content_sha256");
}

function movePlanned(
  facts: CheckFacts,
  actor: Account,
  { channel, topic: from }: AccessibleMessage,
  { topic = from, channelId }: NewPlace,
): Move {
  if (!channel || topic instanceof ApiError) throw new Error("move target is not a channel topic");
  return moveOf(
    { channel, topic: from },
    { channel: targetOf(facts, actor, channelId ?? channel.id), topic },
  );
}

/** Checks the mentions of the new content, including mentions that the old content had. */
function checkMentionRights(
  facts: CheckFacts,
  sender: Account,
  { channelId, memberIds, topic }: AccessibleMessage,
  rendered: RenderedMessage,
): void {
  const channel = channelId === null ? undefined : facts.channels.get(channelId);
  const target = channel
    ? ({ kind: "channel", channel } as const)
    : ({ kind: "direct", members: memberIds ?? [], participants: [] } as const);
  checkMentions(facts, { sender, target, topic, rendered });
}

/** A requested change of a message (messages.md §6.2), as it was sent. */
export interface WantedChange {
  readonly content?: string | undefined;
  readonly topic?: string | undefined;
  /** Any integer, not checked yet. */
  readonly channelId?: number | undefined;
  readonly propagateMode: PropagateMode;
  /** Whether a notice of the move is sent to the old topic, and to the new one. */
  readonly notifyOldTopic: boolean;
  readonly notifyNewTopic: boolean;
  /** Hexadecimal SHA-256 of the content that the client wants to replace. */
  readonly previousHash?: string | undefined;
  /** Whether the content may be changed however long ago the message was sent. */
  readonly atAnyAge?: boolean;
}

/** Returns the requested channel id: 0 if it is not a possible id, undefined if none was sent. */
export function targetId({ channelId }: WantedChange): number | undefined {
  return channelId === undefined ? undefined : knowableId(channelId);
}

/**
 * The content of a message as it is stored.
 * - `isWidget`: whether it has submessages.
 */
export type StoredText = RowOf<typeof byId>;

const byId = statement({
  name: "stored-text",
  text: `SELECT content, rendered_content AS "renderedContent", has_attachment AS "hasAttachment",
      EXISTS (SELECT FROM submessages s WHERE s.message_id = m.id) AS "isWidget"
    FROM messages m WHERE realm_id = $1 AND id = $2`,
});

/** Loads the current content of a message; undefined if it was deleted. */
export function loadText(tx: Tx, realmId: number, id: number): Promise<StoredText | undefined> {
  return tx.first(byId, [realmId, id]);
}
