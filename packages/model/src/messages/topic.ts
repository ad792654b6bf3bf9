import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { cutTo, firstCodePoints, invisibleCharacter, isLongerThan } from "@carillon/kit";

import { loadRealm, type Realm } from "../realms.ts";
import { checkVisible } from "../users/full-name.ts";

/** Maximum code points of a topic (`max_topic_length`). */
export const maxTopicLength = 60;

/**
 * The topic of direct messages in the database. No channel topic can equal it, so it does not distort the statistics of
 * `""`.
 */
export const directTopic = "\u0007";

/** Maximum code points of a topic that are examined; almost all of them are truncated anyway. */
const maxScanned = 10_000;

/** Control characters, unpaired surrogates and noncharacters. */
const unusable = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** Returns the topic as it is stored, unless it is a name of the empty topic; undefined for an invalid one. */
function plainTopic(raw: string): string | undefined {
  const topic = raw.trim();
  if (unusable.test(firstCodePoints(topic, maxScanned))) return undefined;
  return cutTo(topic, maxTopicLength, "...");
}

/** Returns the possible results of {@link normaliseTopic}, whatever the organization's name of the empty topic is. */
export function possibleTopics(raw: string | undefined): string[] {
  const topic = raw === undefined ? undefined : plainTopic(raw);
  return topic === undefined ? [""] : [...new Set([topic, ""])];
}

/**
 * Normalises the topic of a channel message for storage (scheduled-messages.md §0.3): trims and truncates it, and
 * returns `""` for the names of the empty topic.
 * @throws ApiError `BAD_REQUEST` if it is missing or contains invalid characters
 */
export function normaliseTopic(raw: string | undefined, realm: Realm): string {
  if (raw === undefined) throw errors.badRequest("topic is required for channel messages");
  const trimmed = raw.trim();
  if (trimmed === "(no topic)" || trimmed === realm.emptyTopicDisplayName) return "";
  const topic = plainTopic(raw);
  if (topic === undefined)
    throw errors.badRequest("topic must not contain control characters or noncharacters");
  return topic;
}

/** Whether the topic contains invisible characters, which new topics must not. */
export function hasInvisibleCharacters(topic: string): boolean {
  return topic !== "" && invisibleCharacter(topic) !== undefined;
}

/**
 * Rejects invisible characters in the topic of a message that would start it (scheduled-messages.md §0.3).
 * @param raw the topic as sent: truncation may leave a joiner, valid in its context, as the last character
 * @param topic the topic as stored
 * @throws ApiError `BAD_REQUEST` that names the character
 */
export function checkNewTopicVisible(raw: string, topic: string): void {
  if (hasInvisibleCharacters(topic)) checkVisible("topic", firstCodePoints(raw.trim(), maxScanned));
}

/** Returns how topics are shown: the empty topic as it is, or by the organization's display name. */
export function topicShownBy(
  realm: Pick<Realm, "emptyTopicDisplayName">,
  allowEmptyTopicName: boolean,
): (topic: string) => string {
  return (topic) => (topic === "" && !allowEmptyTopicName ? realm.emptyTopicDisplayName : topic);
}

/** Returns the policy of a channel: its own, or the organization's. */
function effectiveTopicsPolicy(channelPolicy: string, realm: Realm): string {
  return channelPolicy === "inherit" ? realm.topicsPolicy : channelPolicy;
}

/**
 * Checks a topic against the channel's policy (scheduled-messages.md §0.3.6).
 * @throws ApiError `BAD_REQUEST` with `empty_topic_display_name`
 */
export function checkTopicsPolicy(topic: string, channelPolicy: string, realm: Realm): void {
  const policy = effectiveTopicsPolicy(channelPolicy, realm);
  const display = { empty_topic_display_name: realm.emptyTopicDisplayName };
  if (policy === "disable_empty_topic" && topic === "")
    throw errors.badRequest("This channel requires a topic", display);
  if (policy === "empty_topic_only" && topic !== "")
    throw errors.badRequest(
      `This channel has one topic only: ${realm.emptyTopicDisplayName}`,
      display,
    );
}

/**
 * Returns the stored form of a request's `topic_name`.
 * @throws ApiError `BAD_REQUEST` for a topic that no message can have
 */
export async function namedTopic(sql: Sql, realmId: number, text: string): Promise<string> {
  if (isLongerThan(text.trim(), maxTopicLength))
    throw errors.badRequest(`topic_name must not have more than ${maxTopicLength} characters`);
  return normaliseTopic(text, await loadRealm(sql, realmId));
}

/** Prefix of resolved topics: U+2714 and a space. */
export const resolvedPrefix = "\u2714 ";

/** Returns the name that the topic has once it is resolved. */
export function resolvedTopic(topic: string): string {
  return cutTo(resolvedPrefix + topic, maxTopicLength, "...");
}

/** Whether one of the topics is the other with the prefix of resolved topics, truncated to the maximum length. */
export function isResolveToggle(one: string, other: string): boolean {
  return isResolved(one, other) || isResolved(other, one);
}

function isResolved(topic: string, bare: string): boolean {
  return !bare.startsWith(resolvedPrefix) && topic === resolvedTopic(bare);
}
