import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { cutTo, firstCodePoints, invisibleCharacter, isLongerThan } from "@carillon/kit";

import { loadRealm, type Realm } from "../realms.ts";
import { checkVisible } from "../users/full-name.ts";

/** Code points that a topic may have (`max_topic_length`). */
export const maxTopicLength = 60;

/** The topic of direct messages in the database: no channel topic can have it, so statistics for `""` stay right. */
export const directTopic = "\u0007";

/** So many code points of a topic are looked at: nearly all are cut off anyway. */
const mostLookedAt = 10_000;

/** Control characters, lone surrogates and non-characters. */
const unusable = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** The topic as it is stored unless it is a name of the empty one; undefined where nothing can have it. */
function plainTopic(raw: string): string | undefined {
  const topic = raw.trim();
  if (unusable.test(firstCodePoints(topic, mostLookedAt))) return undefined;
  return cutTo(topic, maxTopicLength, "...");
}

/** What {@link normaliseTopic} can make of a topic, whatever the organization calls the empty one. */
export function possibleTopics(raw: string | undefined): string[] {
  const topic = raw === undefined ? undefined : plainTopic(raw);
  return topic === undefined ? [""] : [...new Set([topic, ""])];
}

/**
 * The topic of a channel message as it is stored (scheduled-messages.md §0.3): trimmed, cut, and `""` for the
 * names of the empty topic.
 * @throws ApiError `BAD_REQUEST` when it is missing or has characters that no topic may have
 */
export function normaliseTopic(raw: string | undefined, realm: Realm): string {
  if (raw === undefined) throw errors.badRequest("topic is required for channel messages");
  const trimmed = raw.trim();
  if (trimmed === "(no topic)" || trimmed === realm.emptyTopicDisplayName) return "";
  const topic = plainTopic(raw);
  if (topic === undefined)
    throw errors.badRequest(
      "topic must not contain control characters or characters that are none",
    );
  return topic;
}

/** Whether people would see less of the topic than there is. No new topic is to be so. */
export function hidesCharacters(topic: string): boolean {
  return topic !== "" && invisibleCharacter(topic) !== undefined;
}

/**
 * Refuses a topic with invisible characters, for messages that would begin it (scheduled-messages.md §0.3).
 * @param raw the topic as it was sent: a joiner that is needed there may be the last character that the cut leaves
 * @param topic the topic as it is stored
 * @throws ApiError `BAD_REQUEST` that names the character
 */
export function checkNewTopicVisible(raw: string, topic: string): void {
  if (hidesCharacters(topic)) checkVisible("topic", firstCodePoints(raw.trim(), mostLookedAt));
}

/** How a channel's topics are shown: the empty one as it is, or under the organization's name for it. */
export function topicShownBy(
  realm: Pick<Realm, "emptyTopicDisplayName">,
  allowEmptyTopicName: boolean,
): (topic: string) => string {
  return (topic) => (topic === "" && !allowEmptyTopicName ? realm.emptyTopicDisplayName : topic);
}

/** The policy that holds in a channel: its own, or the organization's. */
function effectiveTopicsPolicy(channelPolicy: string, realm: Realm): string {
  return channelPolicy === "inherit" ? realm.topicsPolicy : channelPolicy;
}

/**
 * Holds a topic against the channel's policy (scheduled-messages.md §0.3.6).
 * @throws ApiError `BAD_REQUEST` with `empty_topic_display_name`
 */
export function checkTopicsPolicy(topic: string, channelPolicy: string, realm: Realm): void {
  const policy = effectiveTopicsPolicy(channelPolicy, realm);
  const display = { empty_topic_display_name: realm.emptyTopicDisplayName };
  if (policy === "disable_empty_topic" && topic === "")
    throw errors.badRequest("This channel asks for a topic", display);
  if (policy === "empty_topic_only" && topic !== "")
    throw errors.badRequest(
      `This channel has one topic only: ${realm.emptyTopicDisplayName}`,
      display,
    );
}

/**
 * The topic, as it is stored, that `topic_name` of a request means.
 * @throws ApiError `BAD_REQUEST` for one that no message can have
 */
export async function namedTopic(sql: Sql, realmId: number, text: string): Promise<string> {
  if (isLongerThan(text.trim(), maxTopicLength))
    throw errors.badRequest(`topic_name must not have more than ${maxTopicLength} characters`);
  return normaliseTopic(text, await loadRealm(sql, realmId));
}

/** What the topics begin with that are resolved: U+2714 and a space. */
export const resolvedPrefix = "\u2714 ";

/** Whether one of the topics is the other, resolved: as long as a topic may be. */
export function isResolveToggle(one: string, other: string): boolean {
  return isResolved(one, other) || isResolved(other, one);
}

function isResolved(topic: string, bare: string): boolean {
  return (
    !bare.startsWith(resolvedPrefix) &&
    topic === cutTo(resolvedPrefix + bare, maxTopicLength, "...")
  );
}
