import { channel, type ChannelOverrides } from "../factories/channel.ts";
import { roles, type TestAccount, user } from "../factories/account.ts";
import { userGroup } from "../factories/group.ts";
import type { Scene } from "../scene.ts";
import { patchedChannel, type ChannelPatch } from "./channels.ts";
import { kindsOf, type ReceivedEvent, watch } from "./watching.ts";

const types = ["stream", "subscription", "default_streams", "user_topic"];

const nonGuests = ["owner", "admin", "moderator", "member", "bot", "holder", "stranger"];
const ofPublic = [...nonGuests, "guest"];

/** Receivers of events of a channel with the owner, a member and a guest subscribed. */
export const channelAudience = {
  /** Receivers of default channels. */
  nonGuests,
  /** Receivers for a public channel. */
  ofPublic,
  /** Receivers for a private channel. */
  ofPrivate: ["owner", "admin", "member", "guest"],
  all: [...ofPublic, "otherGuest"],
} as const;

/** Watches the events of all accounts of a scene for changes of a channel. */
export function channelWatching(scene: Scene) {
  let holder: TestAccount;
  let group: { id: number };
  let everybody: Record<string, TestAccount>;
  before("create the watching accounts", async () => {
    const { db, org } = scene;
    const { owner, admin, moderator, member, guest, bot } = org;
    holder = await user(db, org.realm);
    group = await userGroup(db, org.realm, { members: [holder] });
    const otherGuest = await user(db, org.realm, { role: roles.guest });
    const stranger = await user(db, org.realm);
    everybody = { owner, admin, moderator, member, guest, bot, holder, stranger, otherGuest };
  });
  /** The events of the change by account, without accounts that have none. */
  const received = async (
    id: number,
    params: ChannelPatch,
    by: TestAccount = scene.org.owner,
    capabilities: Record<string, boolean> = { archived_channels: true },
  ): Promise<Record<string, ReceivedEvent[]>> => {
    const queues = Object.fromEntries(
      Object.entries(everybody).map(([name, account]) => [
        name,
        { account, params: { event_types: types, client_capabilities: capabilities } },
      ]),
    );
    const all = await watch(scene.gateway, queues, () => patchedChannel(scene, id, params, by));
    return Object.fromEntries(Object.entries(all).filter(([, events]) => events.length > 0));
  };
  return {
    /** The group of an account that sees private channels only by this group. */
    get group() {
      return group;
    },
    /** A guest without subscriptions. */
    get otherGuest() {
      return everybody["otherGuest"] as TestAccount;
    },
    /** Creates a channel without a creator, with the owner, a member and a guest subscribed. */
    newChannel: (overrides?: ChannelOverrides) =>
      channel(scene.db, scene.org.realm, {
        subscribers: [scene.org.owner, scene.org.member, scene.org.guest],
        ...overrides,
      }),
    received,
  };
}

/** Event types with their `op`, by account. */
export function kindsOfEach(all: Record<string, ReceivedEvent[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(all).map(([name, events]) => [name, kindsOf(events)]));
}

/** The same value for each of the names. */
export function sameFor<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** An event without the fields that every event has. */
export function fieldsOfEvent({ id: _id, type: _type, op: _op, ...rest }: ReceivedEvent) {
  return rest;
}

/** The channels of the first event, which creates them. */
export function channelsShownIn(events: readonly ReceivedEvent[] = []) {
  return (events[0]?.["streams"] ?? []) as ReadonlyArray<Record<string, unknown>>;
}
