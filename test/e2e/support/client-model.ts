import { eventOf } from "@carillon/contract";
import type { NumberedEvent } from "@carillon/events";

import { applyDeclared } from "./declared-changes.ts";
import { changedIds, peopleAppliers } from "./client-model-people.ts";
import { forgetProfileValues } from "./client-model-profiles.ts";
import type { ModelState } from "./client-model-state.ts";
import { UnreadModel, type ToldMessage, type UnreadDetail } from "./client-model-unread.ts";
import { addOnce, take, without, type Item } from "./client-model-lists.ts";

/** A device that has not been registered for push yet. */
const newDevice = {
  push_key_id: null,
  push_token_id: null,
  pending_push_token_id: null,
  push_token_last_updated_timestamp: null,
  push_registration_error_code: null,
};

const listsOfChannels = ["subscriptions", "unsubscribed", "never_subscribed"] as const;

/**
 * Applies events to a snapshot like a correct and strict client: an event that adds known data or changes unknown data
 * is an error, because an event was duplicated or lost.
 */
export class ClientModel {
  readonly state: ModelState;
  readonly unread: UnreadModel;
  /** Channels that became visible after the snapshot. */
  readonly gained = new Set<number>();
  /** Channels whose privacy has changed: they may be readable again; no event lists the policies of their topics. */
  readonly reopened = new Set<number>();
  /** Accounts that were reactivated: no event says that a series lists them as managers again (once-and-again.md §3.1). */
  readonly reactivated = new Set<number>();
  /**
   * Whether the account has ever been a guest. Guests do not manage the series of others, and no event is sent when a change
   * of role makes an account a manager or ends that (once-and-again.md §3.1).
   */
  wasGuest: boolean;
  /** IDs of messages from events, in order. */
  readonly messages: number[] = [];
  /** Deleted messages. */
  readonly deleted = new Set<number>();
  /** Messages deleted twice by events: they had been moved out of sight and back. */
  readonly deletedAgain = new Set<number>();

  /** @param snapshot the response of `POST /register`, with `include_subscribers` and every section */
  constructor(snapshot: Readonly<Record<string, unknown>>, listIsIncomplete = false) {
    this.state = structuredClone(snapshot) as ModelState;
    this.unread = new UnreadModel(this.state.unread_msgs, this.state.user_id);
    this.wasGuest = this.state.is_guest;
    const people = peopleAppliers(this.state, listIsIncomplete, this.reactivated);
    this.#appliers = { ...this.#own, ...people };
  }

  /** Applies an event. @throws Error if it contradicts the state */
  apply(event: NumberedEvent): void {
    const { type, op } = event as { type: string; op?: unknown };
    const kind = typeof op === "string" ? `${type}/${op}` : type;
    try {
      const known = this.#appliers[kind];
      const declared = eventOf(type, op as string | undefined)?.snapshot;
      if (known) known(event);
      else if (declared) applyDeclared(this.state, declared, event);
      else
        throw new Error(
          `neither the event nor test/e2e/support/client-model.ts says how to apply ${kind}`,
        );
      this.wasGuest ||= this.state.is_guest;
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`${message}; the event is ${JSON.stringify(event).slice(0, 1_000)}`, {
        cause: error,
      });
    }
  }

  /** Whether the client may learn of this series without an `add`, or lose it without a `remove`. */
  #isUncertain(series: Item | undefined): boolean {
    return this.wasGuest && series?.["author_id"] !== this.state.user_id;
  }

  #forgetSeries(id: unknown): void {
    const { state } = this;
    state.message_series = state.message_series.filter((each) => each["series_id"] !== id);
  }

  #isSubscribed(channelId: number): boolean {
    return this.state.subscriptions.some(({ stream_id }) => stream_id === channelId);
  }

  /** The lists that contain the channel. */
  #objectsOf(channelId: number): Item[] {
    return [...listsOfChannels, "streams" as const].flatMap((list) =>
      this.state[list].filter(({ stream_id }) => stream_id === channelId),
    );
  }

  #device(id: unknown): Item {
    const device = this.state.devices[String(id)];
    if (!device) throw new Error(`device ${String(id)} is not known`);
    return device;
  }

  readonly #appliers: Readonly<Record<string, (event: Item) => void>>;
  readonly #own: Readonly<Record<string, (event: Item) => void>> = {
    // The snapshot has no invitations: clients fetch them again.
    invites_changed: () => {},
    "realm/update": ({ property, value }) => {
      this.#setOfRealm({ [String(property)]: value });
    },
    "realm/update_dict": ({ data }) => this.#setOfRealm(data as Item),
    message: (event) => {
      const message = event["message"] as ToldMessage;
      const { id } = message;
      if (this.messages.includes(id)) throw new Error(`message ${id} was told twice`);
      const { stream_id: channelId } = message;
      if (channelId !== undefined && !this.#isSubscribed(channelId))
        throw new Error(`message ${id} is of channel ${channelId}, without a subscription`);
      this.messages.push(id);
      this.state.max_message_id = Math.max(this.state.max_message_id, id);
      this.unread.add(message, event["flags"] as string[]);
      if (message.type === "private") this.#converse(message);
    },
    update_message: (event) => {
      const { message_ids: ids, message_id: id, flags } = event;
      this.unread.move(ids as number[], {
        channelId: event["new_stream_id"] as number | undefined,
        topic: event["subject"] as string | undefined,
      });
      this.unread.call(id as number, flags as string[]);
    },
    delete_message: ({ message_ids, message_id }) => this.#delete(message_ids ?? [message_id]),
    "update_message_flags/add": (event) => this.#flag(event),
    "update_message_flags/remove": (event) => this.#unflag(event),
    "reaction/add": ({ message_id, user_id }) => {
      // An account that reacts to a message without a copy gets a copy.
      if (user_id === this.state.user_id) this.#reach([message_id as number]);
    },
    "reaction/remove": () => {},
    submessage: () => {},
    // No section of the snapshot has files.
    "attachment/add": () => {},
    "attachment/update": () => {},
    "attachment/remove": () => {},
    "message_series/add": ({ message_series }) => {
      const series = message_series as Item;
      if (this.#isUncertain(series)) this.#forgetSeries(series["series_id"]);
      addOnce(this.state.message_series, series, "series_id");
    },
    "message_series/update": ({ message_series }) => {
      const series = message_series as Item;
      const { series_id: id } = series;
      if (this.#isUncertain(series)) this.#forgetSeries(id);
      else take(this.state.message_series, "series_id", id);
      this.state.message_series.push(series);
    },
    "message_series/remove": ({ series_id: id }) => {
      const known = this.state.message_series.find((each) => each["series_id"] === id);
      if (this.#isUncertain(known)) this.#forgetSeries(id);
      else take(this.state.message_series, "series_id", id);
    },
    "realm_emoji/add": ({ emoji }) => {
      const added = emoji as Item;
      const id = String(added["id"]);
      if (this.state.realm_emoji[id]) throw new Error(`emoji ${id} was told twice`);
      this.state.realm_emoji[id] = added;
    },
    "realm_emoji/update_one": ({ emoji_id: id, data }) => {
      const known = this.state.realm_emoji[String(id)];
      if (!known) throw new Error(`emoji ${String(id)} is not known`);
      this.state.realm_emoji[String(id)] = { ...known, ...(data as Item) };
    },
    "realm_emoji/update": ({ realm_emoji }) => {
      this.state.realm_emoji = realm_emoji as Record<string, Item>;
    },
    // No section of the snapshot has them.
    "withheld_messages/add": () => {},
    "stream/create": (event) => {
      for (const channel of event["streams"] as Item[]) {
        addOnce(this.state.streams, channel, "stream_id");
        this.gained.add(channel["stream_id"] as number);
        this.state.never_subscribed.push({ ...channel, subscribers: [] });
      }
    },
    "stream/delete": (event) => {
      for (const id of event["stream_ids"] as number[]) {
        take(this.state.streams, "stream_id", id);
        for (const list of listsOfChannels)
          this.state[list] = this.state[list].filter(({ stream_id }) => stream_id !== id);
      }
    },
    "stream/update": (event) => {
      const {
        stream_id: id,
        property,
        value,
        ...more
      } = without(event, "type", "op", "id", "name");
      if (property === "invite_only") this.reopened.add(id as number);
      for (const object of this.#objectsOf(id as number))
        Object.assign(object, { [property as string]: value }, more);
    },
    "channel_folder/reorder": ({ order }) => {
      const folders = (order as number[]).map((id, index) => ({
        ...take(this.state.channel_folders, "id", id),
        order: index,
      }));
      if (this.state.channel_folders.length > 0) throw new Error("the order leaves folders out");
      this.state.channel_folders.push(...folders);
    },
    "subscription/add": (event) => {
      for (const subscription of event["subscriptions"] as Item[]) {
        const { stream_id: id } = subscription;
        if (this.state.subscriptions.some(({ stream_id }) => stream_id === id))
          throw new Error(`the account is subscribed to ${String(id)} already`);
        const before = this.#objectsOf(id as number);
        if (before.length !== 2) throw new Error(`channel ${String(id)} was not known`);
        for (const object of before) object["subscriber_count"] = subscription["subscriber_count"];
        for (const list of ["unsubscribed", "never_subscribed"] as const)
          this.state[list] = this.state[list].filter(({ stream_id }) => stream_id !== id);
        this.state.subscriptions.push(subscription);
      }
    },
    "subscription/remove": (event) => {
      for (const { stream_id: id } of event["subscriptions"] as Item[]) {
        const subscription = take(this.state.subscriptions, "stream_id", id);
        this.state.unsubscribed.push(subscription);
        this.#changeSubscribers([id as number], [this.state.user_id], -1);
      }
    },
    "subscription/update": ({ stream_id, property, value }) => {
      const own = this.state.subscriptions.filter((each) => each["stream_id"] === stream_id);
      if (own.length !== 1)
        throw new Error(`the account is not subscribed to ${String(stream_id)}`);
      for (const subscription of own) subscription[property as string] = value;
    },
    "subscription/peer_add": (event) => this.#changePeers(event, 1),
    "subscription/peer_remove": (event) => this.#changePeers(event, -1),
    user_topic: (event) => {
      const topic = without(event, "type", "id");
      this.state.user_topics = this.state.user_topics.filter(
        (each) => each["stream_id"] !== topic["stream_id"] || !sameTopic(each, topic),
      );
      if (topic["visibility_policy"] !== 0) this.state.user_topics.push(topic);
    },
    "device/add": ({ device_id: id }) => {
      if (String(id) in this.state.devices) throw new Error(`device ${String(id)} is known`);
      this.state.devices[String(id)] = { ...newDevice };
    },
    "device/update": (event) => {
      const device = this.#device(event["device_id"]);
      for (const name of Object.keys(newDevice)) if (name in event) device[name] = event[name];
    },
    "device/remove": ({ device_id: id }) => {
      this.#device(id);
      delete this.state.devices[String(id)];
    },
    custom_profile_fields: ({ fields }) => {
      this.state.custom_profile_fields = fields as Item[];
      forgetProfileValues(this.state);
    },
    "realm_user_settings_defaults/update": ({ property, value }) => {
      this.state.realm_user_settings_defaults[property as string] = value;
    },
    "user_settings/update": ({ property, value }) => {
      // No other event updates it.
      if (property === "enable_drafts_synchronization" && value === false) this.state.drafts = [];
      this.state.user_settings[property as string] = value;
    },
  };

  #setOfRealm(data: Item): void {
    for (const [name, value] of Object.entries(data)) {
      if (!(`realm_${name}` in this.state)) throw new Error(`there is no realm_${name}`);
      this.state[`realm_${name}`] = value;
    }
  }

  #converse({ id, display_recipient }: ToldMessage): void {
    const people = display_recipient as ReadonlyArray<{ readonly id: number }>;
    const others = people.map((person) => person.id).filter((each) => each !== this.state.user_id);
    const key = ascending(others).join();
    const conversations = this.state.recent_private_conversations;
    const known = conversations.find(({ user_ids }) => ascending(user_ids).join() === key);
    if (known) known.max_message_id = Math.max(known.max_message_id, id);
    else conversations.push({ user_ids: ascending(others), max_message_id: id });
  }

  #delete(gone: unknown): void {
    const ids = gone as number[];
    for (const id of ids) {
      if (this.deleted.has(id)) this.deletedAgain.add(id);
      this.deleted.add(id);
    }
    this.unread.markRead(ids);
    this.state.starred_messages = this.state.starred_messages.filter((id) => !ids.includes(id));
  }

  #flag(event: Item): void {
    const ids = event["messages"] as number[];
    if (event["flag"] === "read") this.unread.markRead(event["all"] === true ? "all" : ids);
    if (event["flag"] === "starred") {
      const doubled = ids.filter((id) => this.state.starred_messages.includes(id));
      if (doubled.length > 0) throw new Error(`messages ${doubled.join()} have a star already`);
      this.state.starred_messages.push(...ids);
    }
    this.#reach(ids);
  }

  #unflag(event: Item): void {
    const ids = event["messages"] as number[];
    if (event["flag"] === "read")
      this.unread.markUnread(ids, event["message_details"] as Record<string, UnreadDetail>);
    if (event["flag"] === "starred")
      this.state.starred_messages = this.state.starred_messages.filter((id) => !ids.includes(id));
    this.#reach(ids);
  }

  /** Flags belong to copies: the first flag of a message without a copy creates one. */
  #reach(ids: readonly number[]): void {
    this.state.max_message_id = Math.max(this.state.max_message_id, ...ids);
  }

  #changePeers(event: Item, sign: 1 | -1): void {
    const userIds = event["user_ids"] as number[];
    if (userIds.includes(this.state.user_id)) throw new Error("peers were told about themselves");
    this.#changeSubscribers(event["stream_ids"] as number[], userIds, sign);
  }

  #changeSubscribers(channelIds: number[], userIds: number[], sign: 1 | -1): void {
    for (const id of channelIds) {
      const objects = this.#objectsOf(id);
      if (objects.length !== 2) throw new Error(`channel ${id} was not known`);
      for (const object of objects) {
        object["subscriber_count"] = (object["subscriber_count"] as number) + sign * userIds.length;
        const subscribers = object["subscribers"] as number[] | undefined;
        if (subscribers)
          object["subscribers"] = changedIds(subscribers, userIds, sign, "subscriber");
      }
    }
  }
}

function sameTopic(one: Item, other: Item): boolean {
  return String(one["topic_name"]).toLowerCase() === String(other["topic_name"]).toLowerCase();
}

function ascending(ids: readonly number[]): number[] {
  return ids.toSorted((a, b) => a - b);
}
