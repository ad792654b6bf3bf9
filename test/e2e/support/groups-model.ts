/**
 * The rules of user groups as the specification states them, in memory and unoptimized: the server is compared with it.
 * A change works on a copy, so that a refused one has no effect.
 */

import {
  Refusal,
  rules,
  settingNames,
  type Allowed,
  type RealmSettingName,
  type SettingName,
  type Update,
  type Value,
  realmSettingNames,
} from "./groups-model-rules.ts";

export interface ModelUser {
  readonly id: number;
  role: number;
  active: boolean;
  readonly owner: number | undefined;
  /** True for a bot that became a guest with its owner. */
  guestWithOwner?: boolean;
}

export interface ModelGroup {
  readonly id: number;
  name: string;
  description: string;
  readonly creator: number | null;
  readonly system: boolean;
  deactivated: boolean;
  members: Set<number>;
  subgroups: Set<number>;
  settings: Record<SettingName, Value>;
}

const groupOfRole: Readonly<Record<number, string>> = {
  100: "role:owners",
  200: "role:administrators",
  300: "role:moderators",
  400: "role:members",
  600: "role:everyone",
};
const nesting = ["owners", "administrators", "moderators", "fullmembers", "members", "everyone"];

const ascending = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);
const same = (a: Value, b: Value) => JSON.stringify(a) === JSON.stringify(b);
const sorted = (value: Value): Value =>
  typeof value === "number"
    ? value
    : {
        direct_members: ascending(value.direct_members),
        direct_subgroups: ascending(value.direct_subgroups),
      };

export interface ModelState {
  users: Map<number, ModelUser>;
  groups: Map<number, ModelGroup>;
  channels: Map<number, Value>;
  realm: Record<RealmSettingName, Value>;
  /** In days; every account of the model is younger than one day. */
  waitingPeriod: number;
}

export class GroupsModel {
  state: ModelState;

  /** @param systemIds IDs of the system groups, by name */
  constructor(users: readonly ModelUser[], systemIds: Readonly<Record<string, number>>) {
    const id = (name: string) => systemIds[name] ?? 0;
    const nobody = id("role:nobody");
    const groups = Object.entries(systemIds).map(([name, groupId]): [number, ModelGroup] => {
      const below = name === "role:internet" ? "everyone" : directlyBelow(name);
      return [
        groupId,
        {
          id: groupId,
          name,
          description: "",
          creator: null,
          system: true,
          deactivated: false,
          members: new Set(),
          subgroups: new Set(below === undefined ? [] : [id(`role:${below}`)]),
          settings: Object.fromEntries(settingNames.map((key) => [key, nobody])) as never,
        },
      ];
    });
    this.state = {
      users: new Map(users.map((user) => [user.id, { ...user }])),
      groups: new Map(groups),
      channels: new Map(),
      realm: {
        can_manage_all_groups: id("role:owners"),
        can_create_groups: id("role:members"),
        can_create_public_channel_group: id("role:members"),
      },
      waitingPeriod: 0,
    };
  }

  /** Applies the change, or returns the refusal without a change. */
  attempt<T>(change: () => T): T | Refusal {
    const before = structuredClone(this.state);
    try {
      return change();
    } catch (error) {
      this.state = before;
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  idOf(name: string): number {
    for (const group of this.state.groups.values()) if (group.name === name) return group.id;
    throw new Error(`the model has no group ${name}`);
  }

  user(id: number): ModelUser {
    const user = this.state.users.get(id);
    if (!user) throw new Error(`the model has no user ${id}`);
    return user;
  }

  // Reads.

  /** Direct members, including deactivated ones; those of system groups follow from the roles (§2). */
  directMembers(group: ModelGroup): number[] {
    if (!group.system) return ascending(group.members);
    const { users, waitingPeriod } = this.state;
    return ascending(
      [...users.values()]
        .filter(({ role }) =>
          group.name === "role:fullmembers"
            ? role === 400 && waitingPeriod === 0
            : groupOfRole[role] === group.name,
        )
        .map(({ id }) => id),
    );
  }

  active(ids: Iterable<number>): number[] {
    return ascending(ids).filter((id) => this.user(id).active);
  }

  subgroupsOf(groupId: number): number[] {
    const found = new Set<number>();
    const visit = (id: number) => {
      for (const sub of this.group(id).subgroups)
        if (!found.has(sub)) {
          found.add(sub);
          visit(sub);
        }
    };
    visit(groupId);
    return ascending(found);
  }

  allMembers(groupId: number): number[] {
    return ascending(
      [groupId, ...this.subgroupsOf(groupId)].flatMap((id) => this.directMembers(this.group(id))),
    );
  }

  shown(value: Value): Value {
    if (typeof value === "number") return value;
    return {
      direct_members: this.active(value.direct_members),
      direct_subgroups: ascending(value.direct_subgroups),
    };
  }

  /** The expected response of `GET /user_groups`, without dates and descriptions of system groups. */
  shownGroups(deactivatedToo: boolean): object[] {
    return [...this.state.groups.values()]
      .filter(({ deactivated }) => deactivatedToo || !deactivated)
      .sort((a, b) => a.id - b.id)
      .map((group) => ({
        id: group.id,
        name: group.name,
        ...(group.system ? {} : { description: group.description }),
        creator_id: group.creator,
        members: this.active(this.directMembers(group)),
        direct_subgroup_ids: ascending(group.subgroups),
        is_system_group: group.system,
        deactivated: group.deactivated,
        ...Object.fromEntries(settingNames.map((name) => [name, this.shown(group.settings[name])])),
      }));
  }

  // Evaluation of permissions (§1).

  holds(userId: number, setting: SettingName | RealmSettingName, value: Value): boolean {
    const user = this.user(userId);
    if (!user.active) return false;
    if (user.role === 600 && !rules[setting].everyone) return false;
    if (typeof value === "number") return this.allMembers(value).includes(userId);
    return (
      value.direct_members.includes(userId) ||
      value.direct_subgroups.some((id) => this.allMembers(id).includes(userId))
    );
  }

  holdsOf(userId: number, group: ModelGroup, setting: SettingName): boolean {
    return this.holds(userId, setting, group.settings[setting]);
  }

  holdsOfRealm(userId: number, setting: RealmSettingName): boolean {
    return this.holds(userId, setting, this.state.realm[setting]);
  }

  manages(userId: number, group: ModelGroup): boolean {
    return (
      this.holdsOfRealm(userId, "can_manage_all_groups") ||
      this.holdsOf(userId, group, "can_manage_group")
    );
  }

  // Checks.

  group(id: number): ModelGroup {
    const group = this.state.groups.get(id);
    if (!group) throw new Refusal();
    return group;
  }

  changeable(id: number): ModelGroup {
    const group = this.group(id);
    if (group.system) throw new Refusal();
    return group;
  }

  checkNoGuest(actor: number): void {
    if (this.user(actor).role === 600) throw new Refusal();
  }

  checkUsable(id: number): void {
    if (this.group(id).deactivated) throw new Refusal();
  }

  checkUsers(ids: readonly number[]): void {
    for (const id of ids) if (this.state.users.get(id)?.active !== true) throw new Refusal();
  }

  checkName(name: string): void {
    if (name.trim() === "" || Array.from(name).length > 100) throw new Refusal();
    if (/^(@|role:|user:|stream:|channel:)/.test(name)) throw new Refusal();
    for (const group of this.state.groups.values()) if (group.name === name) throw new Refusal();
  }

  canonical(value: Value): Value {
    const set = sorted(value);
    if (typeof set === "number" || set.direct_members.length > 0) return set;
    if (set.direct_subgroups.length > 1) return set;
    return set.direct_subgroups[0] ?? this.idOf("role:nobody");
  }

  checkValue(rule: Allowed, value: Value): void {
    if (typeof value === "number") {
      this.checkUsable(value);
      if (rule.refused.includes(this.group(value).name)) throw new Refusal();
      return;
    }
    this.checkUsers(value.direct_members);
    for (const id of value.direct_subgroups) this.checkUsable(id);
  }

  /** The update form (§3). The old value may be given as displayed, even if all its accounts are deactivated. */
  updated(rule: Allowed, stored: Value, update: Update): Value {
    const current = this.shown(stored);
    const { old } = update;
    if (old !== undefined && !same(this.canonical(old), current) && !same(sorted(old), current))
      throw new Refusal("EXPECTATION_MISMATCH", { field_name: "old" });
    const value = this.canonical(update.new);
    if (same(value, current)) return stored;
    this.checkValue(rule, value);
    return value;
  }

  /** The uses that prevent a group's deactivation (§5.3). */
  objections(groupId: number): object[] {
    const uses = (value: Value) =>
      typeof value === "number" ? value === groupId : value.direct_subgroups.includes(groupId);
    const active = [...this.state.groups.values()]
      .filter(({ deactivated }) => !deactivated)
      .sort((a, b) => a.id - b.id);
    const above = active.filter(({ subgroups }) => subgroups.has(groupId)).map(({ id }) => id);
    const channels = [...this.state.channels].sort(([a], [b]) => a - b);
    const using = active
      .map(({ id, settings }) => ({
        type: "user_group",
        group_id: id,
        settings: settingNames.filter((name) => uses(settings[name])),
      }))
      .filter(({ settings }) => settings.length > 0);
    const ofRealm = realmSettingNames.filter((name) => uses(this.state.realm[name]));
    return [
      ...(above.length > 0 ? [{ type: "subgroup", supergroup_ids: above, settings: [] }] : []),
      ...channels
        .filter(([, value]) => uses(value))
        .map(([channel_id]) => ({
          type: "channel",
          channel_id,
          settings: ["can_subscribe_group"],
        })),
      ...using,
      ...(ofRealm.length > 0 ? [{ type: "realm", settings: ofRealm }] : []),
    ];
  }
}

/** The only direct subgroup of a system group. */
function directlyBelow(name: string): string | undefined {
  return nesting[nesting.indexOf(name.replace("role:", "")) - 1];
}
