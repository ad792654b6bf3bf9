import { isDeepStrictEqual } from "node:util";

import { declaredKeys } from "./declared-changes.ts";
import type { ClientModel, ModelState } from "./client-model.ts";
import { UnreadModel, type UnreadMessage } from "./client-model-unread.ts";
import { unknownName } from "./client-model-people.ts";
import type { Item } from "./client-model-lists.ts";

/** Fields that say something of the moment, of the queue, or what no event tells. */
const leftOut = new Set([
  "result",
  "msg",
  "queue_id",
  "last_event_id",
  "server_timestamp",
  "presences",
  "presence_last_update_id",
  // The same rows as `user_topics`, for older clients.
  "muted_topics",
  // Compared message by message.
  "unread_msgs",
  // What the account may do follows from settings, groups and its role: clients work it out.
  "can_create_public_streams",
  "can_create_private_streams",
  "can_create_web_public_streams",
  "can_create_streams",
  "can_invite_others_to_realm",
]);

interface Known {
  /** Channels of which the client cannot know whether the account was subscribed to them once. */
  readonly gained: ReadonlySet<number>;
  readonly topics: (topic: Item) => boolean;
}

/** What a client cannot know of messages. */
export interface UnknownMessages {
  /** It was not told of them when they were written. */
  readonly untold: ReadonlySet<number>;
  /** They are gone; who lost their channel before is not told so. */
  readonly removed: ReadonlySet<number>;
  /** They have been in another channel: who did not see them there is not told that they came, nor who lost it. */
  readonly moved: ReadonlySet<number>;
}

/** Fields of channels that no event tells. */
const untold = new Set(["first_message_id", "stream_weekly_traffic"]);

/** What identifies the items of a list, so that lists in different orders can be compared. */
const keys: Readonly<Record<string, (item: Item) => string>> = {
  ...Object.fromEntries(Object.entries(declaredKeys).map(([list, key]) => [list, byField(key)])),
  subscriptions: byField("stream_id"),
  unsubscribed: byField("stream_id"),
  never_subscribed: byField("stream_id"),
  streams: byField("stream_id"),
  realm_users: byField("user_id"),
  realm_non_active_users: byField("user_id"),
  realm_user_groups: byField("id"),
  realm_bots: byField("user_id"),
  user_topics: ({ stream_id, topic_name }) => `${String(stream_id)} ${String(topic_name)}`,
  recent_private_conversations: ({ user_ids }) => (user_ids as number[]).join(),
};

/**
 * Compares what a client has made of snapshot and events, field by field, with a snapshot that the same client would
 * get now. What it cannot know is left out: what happened in a channel before the account could see it.
 * @returns what differs, a line each: the field, what the client has, what is right
 */
export function differencesFrom(
  fresh: Readonly<Record<string, unknown>>,
  model: ClientModel,
  first: Readonly<Record<string, unknown>>,
  unknown: UnknownMessages,
): string[] {
  const now = fresh as unknown as ModelState;
  const known = { topics: knownTopics(model, now), gained: model.gained };
  const kept = {
    ...model.state,
    max_message_id: newestLeft(model, now, unknown),
    recent_private_conversations: conversationsLeft(model, now, unknown),
  };
  return [
    ...differences("", comparable(withStandIns(kept), known), comparable(withStandIns(now), known)),
    ...unreadDifferences(model, first as unknown as ModelState, now, unknown.untold),
    ...[...model.deletedAgain]
      .filter((id) => !unknown.moved.has(id))
      .map((id) => `message ${id} was told twice to be gone`),
  ];
}

/** Of somebody whom the account does not see there is nothing to know but the id. */
function withStandIns(state: ModelState): ModelState {
  const realm_users = state.realm_users.map((person) =>
    person["full_name"] === unknownName
      ? { user_id: person["user_id"], full_name: unknownName }
      : person,
  );
  return { ...state, realm_users };
}

/** A client knows of newer messages only (events.md §1.2): which one is the newest once that one is removed, nobody tells. */
function newestLeft(
  { state: { max_message_id: newest } }: ClientModel,
  { max_message_id: right }: ModelState,
  { untold, removed, moved }: UnknownMessages,
): number {
  const came = untold.has(right) || moved.has(right);
  const went = (removed.has(newest) || moved.has(newest)) && right < newest;
  return came || went ? right : newest;
}

/** The same of a conversation: which one is its newest message then, or whether there is any, nobody tells. */
function conversationsLeft(
  { state: { recent_private_conversations: kept } }: ClientModel,
  { recent_private_conversations: now }: ModelState,
  { removed }: UnknownMessages,
): ModelState["recent_private_conversations"] {
  const key = (of: { readonly user_ids: readonly number[] }) => of.user_ids.join();
  return kept.flatMap((conversation) => {
    const newest = conversation.max_message_id;
    if (!removed.has(newest)) return [conversation];
    return now.filter((right) => key(right) === key(conversation) && right.max_message_id < newest);
  });
}

/** Goes into objects; lists have to be equal as a whole. */
function differences(where: string, kept: unknown, right: unknown): string[] {
  if (isObject(kept) && isObject(right)) {
    const names = [...new Set([...Object.keys(kept), ...Object.keys(right)])];
    return names.flatMap((name) => differences(`${where}/${name}`, kept[name], right[name]));
  }
  return isDeepStrictEqual(kept, right) || isMadeUp(where, kept, right)
    ? []
    : [`${where}: ${JSON.stringify(kept)} instead of ${JSON.stringify(right)}`];
}

/** Events have the address of a picture that clients who make it up by themselves get as null. */
function isMadeUp(where: string, kept: unknown, right: unknown): boolean {
  return (
    /avatar_url(?:_medium)?$/.test(where) &&
    right === null &&
    String(kept).startsWith("https://secure.gravatar.com/avatar/")
  );
}

function isObject(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** By name: everything but `leftOut`, each list as an object by its items' keys. */
function comparable(
  state: ModelState,
  { topics, gained }: Known,
): Readonly<Record<string, unknown>> {
  const fields = Object.entries(state).filter(([name]) => !leftOut.has(name));
  return Object.fromEntries(
    fields.map(([name, value]) => {
      if (name === "starred_messages") return [name, (value as number[]).toSorted(numerically)];
      const key = keys[name];
      if (!key) return [name, value];
      const items = (value as Item[]).filter((item) => {
        if (name === "user_topics") return topics(item);
        const isLeft = name === "unsubscribed" || name === "never_subscribed";
        return !isLeft || !gained.has(item["stream_id"] as number);
      });
      return [name, Object.fromEntries(items.map((item) => [key(item), normal(item)]))];
    }),
  );
}

function normal(item: Item): Item {
  const fields = Object.entries(item).filter(([name]) => !untold.has(name));
  return Object.fromEntries(
    fields.map(([name, value]) =>
      ["subscribers", "members", "direct_subgroup_ids"].includes(name)
        ? [name, (value as number[]).toSorted(numerically)]
        : [name, value],
    ),
  );
}

/** Policies of topics in channels that the account has been able to read all the time. */
function knownTopics({ gained, reopened }: ClientModel, now: ModelState): (topic: Item) => boolean {
  const subscribed = new Set(now.subscriptions.map(({ stream_id }) => stream_id));
  const readable = new Set(
    now.streams
      .filter(({ stream_id, invite_only }) => subscribed.has(stream_id) || !invite_only)
      .map(({ stream_id }) => stream_id as number)
      .filter((id) => !gained.has(id) && !reopened.has(id)),
  );
  return ({ stream_id }) => readable.has(stream_id as number);
}

function unreadDifferences(
  model: ClientModel,
  first: ModelState,
  now: ModelState,
  untold: ReadonlySet<number>,
): string[] {
  const subscribed = idsOf(now.subscriptions);
  const atFirst = idsOf(first.subscriptions);
  const right = [...new UnreadModel(now.unread_msgs, now.user_id).messages];
  // What came before the first snapshot, into a channel that the account had left: no snapshot told it.
  const known = right.filter(
    ([id, { channelId }]) =>
      !untold.has(id) &&
      (channelId === undefined ||
        atFirst.has(channelId) ||
        id > first.max_message_id ||
        model.unread.messages.has(id)),
  );
  const kept = [...model.unread.messages].filter(
    ([, { channelId }]) => channelId === undefined || subscribed.has(channelId),
  );
  const found = differences("/unread_msgs", Object.fromEntries(kept), Object.fromEntries(known));
  if (found.length > 0 || known.length < right.length) return found;
  const loud = kept.filter(([, message]) => !isMuted(model.state, message));
  return differences("/unread_msgs/count", loud.length, now.unread_msgs.count);
}

/** Muted are muted topics, and muted channels but for the topics that the account unmuted or follows. */
function isMuted(state: ModelState, { channelId, topic }: UnreadMessage): boolean {
  if (channelId === undefined) return false;
  const policy = state.user_topics.find(
    ({ stream_id, topic_name }) =>
      stream_id === channelId && String(topic_name).toLowerCase() === topic.toLowerCase(),
  )?.["visibility_policy"];
  const channel = state.subscriptions.find(({ stream_id }) => stream_id === channelId);
  return policy === 1 || (channel?.["is_muted"] === true && policy !== 2 && policy !== 3);
}

function idsOf(channels: readonly Item[]): Set<number> {
  return new Set(channels.map(({ stream_id }) => stream_id as number));
}

function byField(name: string): (item: Item) => string {
  return (item) => String(item[name]);
}

function numerically(a: number, b: number): number {
  return a - b;
}
