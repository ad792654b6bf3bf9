import { isDeepStrictEqual } from "node:util";

import { declaredKeys } from "./declared-changes.ts";
import type { ClientModel } from "./client-model.ts";
import type { ModelState } from "./client-model-state.ts";
import { UnreadModel, type UnreadMessage } from "./client-model-unread.ts";
import { isSet, unknownName } from "./client-model-people.ts";
import type { Item } from "./client-model-lists.ts";

/** Fields that depend on the moment or the queue, or that no event updates. */
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
  // Clients derive the account's permissions from settings, groups and its role.
  "can_create_public_streams",
  "can_create_private_streams",
  "can_create_web_public_streams",
  "can_create_streams",
  "can_invite_others_to_realm",
]);

interface Known {
  /** Channels whose earlier subscription the client cannot know. */
  readonly gained: ReadonlySet<number>;
  readonly topics: (topic: Item) => boolean;
  readonly wasGuest: boolean;
  /** Accounts that may be managers of series although the client does not know. */
  readonly reactivated: ReadonlySet<number>;
}

/** Messages whose state the client cannot know. */
export interface UnknownMessages {
  /** The client got no event when they were sent. */
  readonly untold: ReadonlySet<number>;
  /** Deleted; accounts that lost the channel before get no event. */
  readonly removed: ReadonlySet<number>;
  /** Moved between channels; accounts that could not see them there get no event of the arrival or of lost access. */
  readonly moved: ReadonlySet<number>;
}

/** Fields of channels that no event updates. */
const untold = new Set(["first_message_id", "stream_weekly_traffic"]);

/** The keys of list items, so that lists in different orders can be compared. */
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
 * Compares a client's state, built from snapshot and events, with a new snapshot of the same client, field by field.
 * Excludes what the client cannot know: events in a channel before the account could see it.
 * @returns a line for each difference: the field, the client's value, the right value
 */
export function differencesFrom(
  fresh: Readonly<Record<string, unknown>>,
  model: ClientModel,
  first: Readonly<Record<string, unknown>>,
  unknown: UnknownMessages,
): string[] {
  const now = fresh as unknown as ModelState;
  const { gained, wasGuest, reactivated } = model;
  const known = { topics: knownTopics(model, now), gained, wasGuest, reactivated };
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

/** A hidden account has no known field but the ID. */
function withStandIns(state: ModelState): ModelState {
  const realm_users = state.realm_users.map((person) =>
    person["full_name"] === unknownName
      ? { user_id: person["user_id"], full_name: unknownName }
      : person,
  );
  return { ...state, realm_users };
}

/** A client knows newer messages only (events.md §1.2): no event names the newest one that remains after a deletion. */
function newestLeft(
  { state: { max_message_id: newest } }: ClientModel,
  { max_message_id: right }: ModelState,
  { untold, removed, moved }: UnknownMessages,
): number {
  const came = untold.has(right) || moved.has(right);
  const went = (removed.has(newest) || moved.has(newest)) && right < newest;
  return came || went ? right : newest;
}

/** Likewise for a conversation: no event names its remaining newest message, or whether there is one. */
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

/** Compares objects field by field, and lists as a whole. */
function differences(where: string, kept: unknown, right: unknown): string[] {
  if (isObject(kept) && isObject(right)) {
    const names = [...new Set([...Object.keys(kept), ...Object.keys(right)])];
    return names.flatMap((name) => differences(`${where}/${name}`, kept[name], right[name]));
  }
  return isDeepStrictEqual(kept, right) || isMadeUp(where, kept, right)
    ? []
    : [`${where}: ${JSON.stringify(kept)} instead of ${JSON.stringify(right)}`];
}

/** Events contain the picture's address where snapshots contain null for clients that compute it. */
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

/** Returns all fields but `leftOut` by name, each list as an object by its items' keys. */
function comparable(
  state: ModelState,
  { topics, gained, wasGuest, reactivated }: Known,
): Readonly<Record<string, unknown>> {
  const fields = Object.entries(state).filter(([name]) => !leftOut.has(name));
  return Object.fromEntries(
    fields.map(([name, value]) => {
      if (name === "starred_messages") return [name, (value as number[]).toSorted(numerically)];
      const key = keys[name];
      if (!key) return [name, value];
      const items = (value as Item[]).filter((item) => {
        if (name === "message_series" && wasGuest) return item["author_id"] === state.user_id;
        if (name === "user_topics") return topics(item);
        const isLeft = name === "unsubscribed" || name === "never_subscribed";
        return !isLeft || !gained.has(item["stream_id"] as number);
      });
      const shown =
        name === "message_series" ? items.map((item) => withoutManagers(item, reactivated)) : items;
      return [name, Object.fromEntries(shown.map((item) => [key(item), normal(item)]))];
    }),
  );
}

function withoutManagers(series: Item, ids: ReadonlySet<number>): Item {
  const managers = series["can_manage_group"];
  if (!isSet(managers)) return series;
  const direct_members = managers.direct_members.filter((id) => !ids.has(id));
  return { ...series, can_manage_group: { ...managers, direct_members } };
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

/** Returns whether a topic's channel was readable for the account all the time. */
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
  // Excludes messages from before the first snapshot in a channel that the account had left: no snapshot listed them.
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

/** A message is muted by its topic, or by its channel unless the account unmuted or follows the topic. */
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
