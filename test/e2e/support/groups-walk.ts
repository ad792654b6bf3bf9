import {
  unique,
  type Answer,
  type Gateway,
  type Params,
  type TestAccount,
} from "@carillon/testkit";

import type { Chance } from "../../faults/support/chance.ts";
import * as change from "./groups-changes.ts";
import {
  realmSettingNames,
  Refusal,
  settingNames,
  type SettingName,
  type Update,
  type Value,
} from "./groups-model-rules.ts";
import type { GroupsModel, ModelGroup } from "./groups-model.ts";
import { nth } from "./nth.ts";

/** The state from which the steps of a walk are drawn. */
export interface GroupsWalk {
  readonly gateway: Gateway;
  readonly model: GroupsModel;
  readonly chance: Chance;
  readonly accounts: TestAccount[];
}

/** A request with its response and the model's expected result. */
export interface Step {
  readonly kind: string;
  /** Text for the failure message. */
  readonly text: string;
  readonly answer: Answer;
  /** The expected fields of a success. */
  readonly expected: Refusal | Readonly<Record<string, unknown>>;
}

type Maker = (walk: GroupsWalk) => Promise<Omit<Step, "kind">>;

export function pick<T>({ chance }: Pick<GroupsWalk, "chance">, list: readonly T[]): T {
  return nth(list, chance.below(list.length));
}

const oneIn = ({ chance }: GroupsWalk, n: number) => chance.below(n) === 0;

/** Up to two items of the list. */
function few<T>(walk: GroupsWalk, list: readonly T[]): T[] {
  if (list.length === 0) return [];
  return Array.from({ length: walk.chance.below(3) }, () => pick(walk, list));
}

/** The ID of one of the groups; sometimes an ID without a named group, perhaps of an anonymous one. */
function groupId(walk: GroupsWalk, groups: readonly ModelGroup[]): number {
  const ids = [...walk.model.state.groups.keys()];
  if (groups.length > 0 && !oneIn(walk, 30)) return pick(walk, groups).id;
  return Math.min(...ids) + walk.chance.below(Math.max(...ids) - Math.min(...ids) + 3);
}

const all = (walk: GroupsWalk) => [...walk.model.state.groups.values()];
const named = (walk: GroupsWalk) => all(walk).filter(({ system }) => !system);
/** Mostly active groups. */
const usable = (walk: GroupsWalk) =>
  oneIn(walk, 8) ? all(walk) : all(walk).filter(({ deactivated }) => !deactivated);
const target = (walk: GroupsWalk) => groupId(walk, oneIn(walk, 15) ? all(walk) : named(walk));

/** Mostly active accounts. */
function people(walk: GroupsWalk): TestAccount[] {
  const gone = oneIn(walk, 10);
  return walk.accounts.filter(({ id }) => gone || walk.model.user(id).active);
}

/** Mostly an account with the permission. */
function actor(walk: GroupsWalk, may: (userId: number) => boolean): TestAccount {
  const able = walk.accounts.filter(({ id }) => walk.model.user(id).active && may(id));
  return pick(walk, able.length > 0 && !oneIn(walk, 4) ? able : people(walk));
}

function changer(walk: GroupsWalk, groupId: number, setting?: SettingName): TestAccount {
  const group = walk.model.state.groups.get(groupId);
  const held = setting && oneIn(walk, 2) ? setting : "can_manage_group";
  return actor(walk, (id) => group !== undefined && walk.model.holdsOf(id, group, held));
}

const administrator = (walk: GroupsWalk) =>
  actor(walk, (id) => walk.model.user(id).role <= (oneIn(walk, 3) ? 200 : 100));

function value(walk: GroupsWalk): Value {
  const one = () => groupId(walk, usable(walk));
  if (oneIn(walk, 3)) return one();
  return {
    direct_members: few(walk, people(walk)).map(({ id }) => id),
    direct_subgroups: Array.from({ length: walk.chance.below(3) }, one),
  };
}

/** Sometimes with the current value as the old one in another order or form, sometimes with another value. */
function update(walk: GroupsWalk, current: Value): Update {
  const wanted = oneIn(walk, 6) ? current : value(walk);
  const draw = walk.chance.below(5);
  if (draw < 2) return { new: wanted };
  if (draw === 2 && oneIn(walk, 2)) return { new: wanted, old: value(walk) };
  const shown = walk.model.shown(current);
  const old =
    typeof shown === "number"
      ? pick(walk, [shown, { direct_members: [], direct_subgroups: [shown, shown] }])
      : {
          direct_members: shown.direct_members.toReversed(),
          direct_subgroups: shown.direct_subgroups.toReversed(),
        };
  return { new: wanted, old };
}

/** Mostly a valid name. */
function name(walk: GroupsWalk): string {
  if (!oneIn(walk, 8)) return unique("walk");
  const used = pick(walk, all(walk)).name;
  return pick(walk, [used, used.toUpperCase(), " ", "role:new", "@walk", "x".repeat(101)]);
}

/** Sends the request, and computes the expected result with the model. */
async function ask(
  { gateway, model }: GroupsWalk,
  by: TestAccount,
  method: "post" | "patch" | "delete",
  path: string,
  params: Params,
  expect: (answer: Answer) => Readonly<Record<string, unknown>> | void,
): Promise<Omit<Step, "kind">> {
  const answer = await gateway.as(by)[method](`/api/v1${path}`, params);
  const expected = model.user(by.id).active
    ? (model.attempt(() => expect(answer)) ?? {})
    : new Refusal("UNAUTHORIZED");
  const text = `${by.fullName} (${by.id}): ${method} ${path} ${JSON.stringify(params)}`;
  return { text, answer, expected };
}

/** Reads the bot's key as an owner, and uses it in the later steps. */
async function readNewKey({ gateway, model, accounts }: GroupsWalk, bot: TestAccount) {
  const owner = accounts.find(({ id, isBot }) => {
    const { role, active } = model.user(id);
    return !isBot && active && role === 100;
  });
  if (!owner) throw new Error("there is no active owner");
  const { body } = await gateway.as(owner).get(`/api/v1/bots/${bot.id}/api_key`);
  accounts.splice(accounts.indexOf(bot), 1, { ...bot, apiKey: String(body["api_key"]) });
}

const settingsOfMembers = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_remove_members_group",
] as const;

/** Mostly valid changes; one in seven would create a cycle of subgroups. */
function composition(walk: GroupsWalk, by: TestAccount, id: number): change.Composition {
  const group = walk.model.state.groups.get(id);
  const fits = !oneIn(walk, 6);
  const users = (inside: boolean) =>
    few(walk, people(walk))
      .map((account) => account.id)
      .filter((each) => !fits || group?.members.has(each) === inside);
  const groups = (inside: boolean) =>
    few(
      walk,
      inside && fits ? usable(walk).filter((each) => group?.subgroups.has(each.id)) : usable(walk),
    )
      .map((each) => each.id)
      .filter((each) => !fits || group?.subgroups.has(each) === inside);
  const nothing = { add: [], delete: [], addSubgroups: [], deleteSubgroups: [] };
  const draw = walk.chance.below(7);
  if (draw === 0)
    return group?.members.has(by.id)
      ? { ...nothing, delete: [by.id] }
      : { ...nothing, add: [by.id] };
  if (draw === 6) {
    const above = all(walk).filter((each) => walk.model.subgroupsOf(each.id).includes(id));
    return { ...nothing, addSubgroups: [above.length > 0 ? pick(walk, above).id : id] };
  }
  const wanted = {
    add: draw === 1 || draw === 5 ? users(false) : [],
    delete: draw === 2 || draw === 5 ? users(true) : [],
    addSubgroups: draw === 3 || draw === 5 ? groups(false) : [],
    deleteSubgroups: draw === 4 || draw === 5 ? groups(true) : [],
  };
  const distinct = Object.entries(wanted).map(([key, ids]) => [key, [...new Set(ids)]]);
  return Object.fromEntries(distinct) as never;
}

const makers: Readonly<Record<string, { weight: number; make: Maker }>> = {
  "create a group": {
    weight: 4,
    make(walk) {
      const by = actor(walk, (id) => walk.model.holdsOfRealm(id, "can_create_groups"));
      const settings = Object.fromEntries(few(walk, settingNames).map((key) => [key, value(walk)]));
      const asked = {
        name: name(walk),
        description: pick(walk, ["", "walkers"]),
        members: [...new Set(few(walk, people(walk)).map(({ id }) => id))],
        subgroups: [...new Set(few(walk, usable(walk)).map(({ id }) => id))],
      };
      return ask(walk, by, "post", "/user_groups/create", { ...asked, ...settings }, ({ body }) => {
        const id = Number(body["group_id"] ?? 0);
        change.createGroup(walk.model, by.id, id, { ...asked, settings });
        return { group_id: id };
      });
    },
  },
  "change a group": {
    weight: 9,
    make(walk) {
      const id = target(walk);
      const by = changer(walk, id);
      const group = walk.model.state.groups.get(id);
      const settings = Object.fromEntries(
        [pick(walk, settingNames), ...few(walk, settingNames)].map((key) => [
          key,
          update(walk, group?.settings[key] ?? 0),
        ]),
      );
      const details = {
        ...(oneIn(walk, 4) ? { name: oneIn(walk, 4) && group ? group.name : name(walk) } : {}),
        ...(oneIn(walk, 4) ? { description: pick(walk, ["", "changed", "twice"]) } : {}),
        ...(oneIn(walk, 4) ? { deactivated: oneIn(walk, 2) } : {}),
      };
      const asked = { ...details, settings };
      return ask(walk, by, "patch", `/user_groups/${id}`, { ...details, ...settings }, () =>
        change.patchGroup(walk.model, by.id, id, asked),
      );
    },
  },
  "reactivate a group": {
    weight: 3,
    make(walk) {
      const id = groupId(
        walk,
        all(walk).filter(({ deactivated }) => deactivated),
      );
      const by = changer(walk, id);
      const params = { deactivated: false };
      return ask(walk, by, "patch", `/user_groups/${id}`, params, () =>
        change.patchGroup(walk.model, by.id, id, { ...params, settings: {} }),
      );
    },
  },
  "deactivate a group": {
    weight: 4,
    make(walk) {
      const id = target(walk);
      const by = changer(walk, id);
      return ask(walk, by, "post", `/user_groups/${id}/deactivate`, {}, () =>
        change.deactivateGroup(walk.model, by.id, id),
      );
    },
  },
  "change who is in a group": {
    weight: 12,
    make(walk) {
      const id = target(walk);
      const by = changer(walk, id, pick(walk, settingsOfMembers));
      const asked = composition(walk, by, id);
      const { add, delete: remove, addSubgroups, deleteSubgroups } = asked;
      const expect = () => change.composeGroup(walk.model, by.id, id, asked);
      if (add.length + remove.length === 0 && oneIn(walk, 2)) {
        const params = { add: addSubgroups, delete: deleteSubgroups };
        return ask(walk, by, "post", `/user_groups/${id}/subgroups`, params, expect);
      }
      const params = {
        add,
        delete: remove,
        add_subgroups: addSubgroups,
        delete_subgroups: deleteSubgroups,
      };
      return ask(walk, by, "post", `/user_groups/${id}/members`, params, expect);
    },
  },
  "create a channel": {
    weight: 3,
    make(walk) {
      const by = actor(walk, (id) =>
        walk.model.holdsOfRealm(id, "can_create_public_channel_group"),
      );
      const subscribe = oneIn(walk, 2) ? value(walk) : undefined;
      const params = { name: unique("room"), subscribers: [], can_subscribe_group: subscribe };
      return ask(walk, by, "post", "/channels/create", params, ({ body }) => {
        const id = Number(body["id"] ?? 0);
        change.createChannel(walk.model, by.id, id, subscribe);
        return { id };
      });
    },
  },
  "change the organization": {
    weight: 2,
    make(walk) {
      const by = administrator(walk);
      const key = pick(walk, realmSettingNames);
      const settings = { [key]: update(walk, walk.model.state.realm[key]) };
      const days = oneIn(walk, 3) ? pick(walk, [0, 3]) : undefined;
      const params = { ...settings, waiting_period_threshold: days };
      return ask(walk, by, "patch", "/realm", params, () =>
        change.patchRealm(walk.model, by.id, { settings, waitingPeriod: days }),
      );
    },
  },
  "give somebody another role": {
    weight: 3,
    async make(walk) {
      const [by, whom] = [administrator(walk), pick(walk, walk.accounts)];
      const role = pick(walk, [100, 200, 300, 400, 400, 600]);
      const { role: before } = walk.model.user(whom.id);
      const step = await ask(walk, by, "patch", `/users/${whom.id}`, { role }, () =>
        change.changeRole(walk.model, by.id, whom.id, role),
      );
      // A bot that gets the power of owners gets another key (users.md §5).
      if (whom.isBot && before !== 100 && walk.model.user(whom.id).role === 100)
        await readNewKey(walk, whom);
      return step;
    },
  },
  "deactivate somebody": {
    weight: 2,
    make(walk) {
      const [by, whom] = [administrator(walk), pick(walk, walk.accounts)];
      return ask(walk, by, "delete", `/users/${whom.id}`, {}, () =>
        change.deactivateUser(walk.model, by.id, whom.id),
      );
    },
  },
  "bring somebody back": {
    weight: 2,
    make(walk) {
      const gone = walk.accounts.filter(({ id }) => {
        const { active, owner } = walk.model.user(id);
        return !active && (owner === undefined || walk.model.user(owner).active);
      });
      const humans = walk.accounts.filter(({ isBot }) => !isBot);
      const whom = pick(walk, gone.length > 0 ? gone : humans);
      const by = administrator(walk);
      return ask(walk, by, "post", `/users/${whom.id}/reactivate`, {}, () =>
        change.reactivateUser(walk.model, by.id, whom.id),
      );
    },
  },
};

const drawn = Object.entries(makers).flatMap(([kind, { weight }]) =>
  Array<string>(weight).fill(kind),
);

/** Runs a step; the first ones create groups, so that there is something to choose from. */
export async function takeStep(walk: GroupsWalk): Promise<Step> {
  const isBare = named(walk).length < 5 && !oneIn(walk, 4);
  const kind = isBare ? "create a group" : pick(walk, drawn);
  const step = await makers[kind]?.make(walk);
  if (!step) throw new Error(`there is no step ${kind}`);
  return { kind, ...step };
}
