import {
  addSubscriptions,
  createChannel,
  createScheduledMessage,
  createUser,
  createUserGroup,
  deleteScheduledMessage,
  editScheduledMessage,
  muteUser,
  removeSubscriptions,
  sendMessage,
  setTopicPolicy,
  unmuteUser,
  updateSettings,
  updateStatus,
  updateSubscriptionProperties,
  updateUserGroupMembers,
  type Operation,
} from "@carillon/contract";
import {
  unique,
  user,
  type Gateway,
  type GatewayClient,
  type TestAccount,
  type TestDatabase,
  type TestOrganization,
} from "@carillon/testkit";

import type { Chance } from "../../faults/support/chance.ts";
import { deliverNow } from "./delivery.ts";

type Database = Awaited<ReturnType<TestDatabase["connect"]>>;

/** What the steps of a walk choose from; it grows while they go. */
export interface Walk {
  readonly db: Database;
  readonly org: TestOrganization;
  readonly gateways: readonly Gateway[];
  readonly chance: Chance;
  /** Those who act. */
  readonly accounts: TestAccount[];
  readonly channels: Array<{ id: number; name: string }>;
  readonly groups: number[];
  readonly scheduled: Array<{ id: number; by: TestAccount }>;
  /** How often each kind of step did something. */
  readonly done: Map<string, number>;
}

/** A step that is decided, to be taken at the same time as others. */
export type Step = () => Promise<void>;

type Maker = (walk: Walk) => Step;

/** A request that may be refused, as long as it is understood; the walk remembers that it succeeded. */
async function attempt(
  walk: Walk,
  client: GatewayClient,
  operation: Operation,
  options: Parameters<GatewayClient["call"]>[1] = {},
): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await client.call(operation, options);
  if (status >= 500) throw new Error(`${operation.id} answered ${status}: ${JSON.stringify(body)}`);
  if (status !== 200) return undefined;
  walk.done.set(operation.id, (walk.done.get(operation.id) ?? 0) + 1);
  return body;
}

function pick<T>(walk: Walk, list: readonly T[]): T {
  return list.at(walk.chance.below(list.length))!;
}

const someone = (walk: Walk) => pick(walk, walk.accounts);
const asAnyone = (walk: Walk, account: TestAccount) => pick(walk, walk.gateways).as(account);
const some = <T>(walk: Walk, list: readonly T[]) =>
  list.filter(() => walk.chance.below(list.length) < 2);
const topics = ["", "lunch", "rain", "sun"];

/** What a message says; one in four mentions somebody. */
function content(walk: Walk): string {
  const { fullName } = someone(walk);
  return pick(walk, [unique("words"), "soup", `@**${fullName}** look`, "@**all** *hear*"]);
}

function target(walk: Walk, by: TestAccount): Record<string, unknown> {
  if (walk.chance.below(3) > 0)
    return { type: "channel", to: pick(walk, walk.channels).id, topic: pick(walk, topics) };
  const others = some(walk, walk.accounts).map(({ id }) => id);
  return { type: "direct", to: others.length > 0 ? others : [by.id] };
}

function soon(walk: Walk): number {
  return Math.floor(Date.now() / 1_000) + 600 + walk.chance.below(600);
}

const makers: Readonly<Record<string, { weight: number; make: Maker }>> = {
  "create a channel": {
    weight: 2,
    make(walk) {
      const by = someone(walk);
      const name = unique("room");
      const params = {
        name,
        subscribers: some(walk, walk.accounts).map(({ id }) => id),
        invite_only: walk.chance.below(2) === 0,
        is_default_stream: walk.chance.below(5) === 0,
      };
      const client = asAnyone(walk, by);
      return async () => {
        const made = await attempt(walk, client, createChannel, { params });
        if (made) walk.channels.push({ id: made["id"] as number, name });
      };
    },
  },
  subscribe: {
    weight: 4,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const names = [pick(walk, walk.channels).name, pick(walk, walk.channels).name];
      const principals =
        walk.chance.below(2) === 0 ? undefined : some(walk, walk.accounts).map(({ id }) => id);
      const params = { subscriptions: names.map((name) => ({ name })), principals };
      return async () => void (await attempt(walk, client, addSubscriptions, { params }));
    },
  },
  unsubscribe: {
    weight: 3,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const principals =
        walk.chance.below(2) === 0 ? undefined : some(walk, walk.accounts).map(({ id }) => id);
      const params = { subscriptions: [pick(walk, walk.channels).name], principals };
      return async () => void (await attempt(walk, client, removeSubscriptions, { params }));
    },
  },
  send: {
    weight: 8,
    make(walk) {
      const by = someone(walk);
      const client = asAnyone(walk, by);
      const params = { ...target(walk, by), content: content(walk) };
      return async () => void (await attempt(walk, client, sendMessage, { params }));
    },
  },
  schedule: {
    weight: 3,
    make(walk) {
      const by = someone(walk);
      const client = asAnyone(walk, by);
      const params = {
        ...target(walk, by),
        content: content(walk),
        scheduled_delivery_timestamp: soon(walk),
      };
      return async () => {
        const made = await attempt(walk, client, createScheduledMessage, { params });
        if (made) walk.scheduled.push({ id: made["scheduled_message_id"] as number, by });
      };
    },
  },
  "edit what is scheduled": { weight: 2, make: (walk) => changeScheduled(walk, "edit") },
  "delete what is scheduled": { weight: 1, make: (walk) => changeScheduled(walk, "delete") },
  "deliver what is scheduled": {
    weight: 1,
    make(walk) {
      if (walk.scheduled.length === 0) return async () => undefined;
      const { id } = pick(walk, walk.scheduled);
      return () => deliverNow(walk.db, walk.org.realm, [id]);
    },
  },
  "create a group": {
    weight: 2,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const members = some(walk, walk.accounts).map(({ id }) => id);
      const subgroups = some(walk, walk.groups);
      const params = { name: unique("group"), description: "", members, subgroups };
      return async () => {
        const made = await attempt(walk, client, createUserGroup, { params });
        if (made) walk.groups.push(made["group_id"] as number);
      };
    },
  },
  "change the members of a group": {
    weight: 3,
    make(walk) {
      if (walk.groups.length === 0) return async () => undefined;
      const client = asAnyone(walk, walk.org.owner);
      const path = { user_group_id: pick(walk, walk.groups) };
      const ids = some(walk, walk.accounts).map(({ id }) => id);
      const params = walk.chance.below(2) === 0 ? { add: ids } : { delete: ids };
      return async () =>
        void (await attempt(walk, client, updateUserGroupMembers, { path, params }));
    },
  },
  "create a user": {
    weight: 1,
    make(walk) {
      const client = asAnyone(walk, walk.org.owner);
      const name = unique("newcomer");
      const params = { email: `${name}@carillon.test`, full_name: name, password: unique("word") };
      return async () => void (await attempt(walk, client, createUser, { params }));
    },
  },
  "have one more to act": {
    weight: 1,
    make(walk) {
      const role = pick(walk, [200, 400, 400, 600]);
      return async () => void walk.accounts.push(await user(walk.db, walk.org.realm, { role }));
    },
  },
  "change a subscription": {
    weight: 3,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const change = pick(walk, [
        { property: "color", value: pick(walk, ["#c2c2c2", "#a6c7e5"]) },
        { property: "is_muted", value: walk.chance.below(2) === 0 },
        { property: "pin_to_top", value: walk.chance.below(2) === 0 },
        { property: "push_notifications", value: walk.chance.below(2) === 0 },
      ]);
      const subscription_data = [{ stream_id: pick(walk, walk.channels).id, ...change }];
      const params = { subscription_data };
      return async () =>
        void (await attempt(walk, client, updateSubscriptionProperties, { params }));
    },
  },
  "set what a topic is": {
    weight: 3,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const params = {
        stream_id: pick(walk, walk.channels).id,
        topic: pick(walk, topics),
        visibility_policy: walk.chance.below(4),
      };
      return async () => void (await attempt(walk, client, setTopicPolicy, { params }));
    },
  },
  "mute or unmute somebody": {
    weight: 2,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const operation = pick(walk, [muteUser, unmuteUser]);
      const path = { muted_user_id: someone(walk).id };
      return async () => void (await attempt(walk, client, operation, { path }));
    },
  },
  "set a status": {
    weight: 2,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const params = {
        ...(walk.chance.below(2) === 0 ? {} : { emoji_name: pick(walk, ["", "car", "house"]) }),
        status_text: pick(walk, ["", "away", "at lunch"]),
      };
      return async () => void (await attempt(walk, client, updateStatus, { params }));
    },
  },
  "change settings": {
    weight: 2,
    make(walk) {
      const client = asAnyone(walk, someone(walk));
      const params = pick(walk, [
        { enter_sends: walk.chance.below(2) === 0 },
        { timezone: pick(walk, ["Europe/Berlin", "Asia/Tokyo"]) },
        { color_scheme: 1 + walk.chance.below(3), enable_sounds: walk.chance.below(2) === 0 },
        { full_name: unique("renamed") },
        { email_address_visibility: pick(walk, [1, 2, 3, 4, 5]) },
      ]);
      return async () => void (await attempt(walk, client, updateSettings, { params }));
    },
  },
};

function changeScheduled(walk: Walk, how: "edit" | "delete"): Step {
  if (walk.scheduled.length === 0) return async () => undefined;
  const { id, by } = pick(walk, walk.scheduled);
  const client = asAnyone(walk, by);
  const path = { scheduled_message_id: id };
  const params = { content: content(walk), scheduled_delivery_timestamp: soon(walk) };
  return async () =>
    void (how === "edit"
      ? await attempt(walk, client, editScheduledMessage, { path, params })
      : await attempt(walk, client, deleteScheduledMessage, { path }));
}

const drawn = Object.values(makers).flatMap(({ weight, make }) => Array<Maker>(weight).fill(make));

/** Decides on a step. */
export function nextStep(walk: Walk): Step {
  return pick(walk, drawn)(walk);
}
