/** The effects of operations on groups and accounts in the model; throws a refusal, also after partial changes. */

import {
  channelRule,
  realmSettingNames,
  Refusal,
  rules,
  settingNames,
  type RealmSettingName,
  type SetValue,
  type SettingName,
  type Update,
  type Value,
} from "./groups-model-rules.ts";
import type { GroupsModel, ModelUser } from "./groups-model.ts";

export interface NewGroup {
  readonly name: string;
  readonly description: string;
  readonly members: readonly number[];
  readonly subgroups: readonly number[];
  readonly settings: Readonly<Partial<Record<SettingName, Value>>>;
}

/** Creates a group (user-groups.md §5.4). */
export function createGroup(model: GroupsModel, actor: number, id: number, asked: NewGroup): void {
  model.checkNoGuest(actor);
  if (!model.holdsOfRealm(actor, "can_create_groups")) throw new Refusal();
  model.checkUsers(asked.members);
  model.checkName(asked.name);
  const own: SetValue = { direct_members: [actor], direct_subgroups: [] };
  const settings: Record<SettingName, Value> = {
    can_add_members_group: own,
    can_join_group: model.idOf("role:nobody"),
    can_leave_group: model.idOf("role:everyone"),
    can_manage_group: own,
    can_mention_group: model.idOf("role:everyone"),
    can_remove_members_group: model.idOf("role:nobody"),
  };
  for (const name of settingNames) {
    const given = asked.settings[name];
    if (given === undefined) continue;
    settings[name] = model.canonical(given);
    model.checkValue(rules[name], settings[name]);
  }
  for (const sub of asked.subgroups) model.checkUsable(sub);
  model.state.groups.set(id, {
    id,
    name: asked.name,
    description: asked.description,
    creator: actor,
    system: false,
    deactivated: false,
    members: new Set(asked.members),
    subgroups: new Set(asked.subgroups),
    settings,
  });
}

export interface GroupPatch {
  readonly name?: string;
  readonly description?: string;
  readonly deactivated?: boolean;
  readonly settings: Readonly<Partial<Record<SettingName, Update>>>;
}

/** Changes a group (user-groups.md §5.2). */
export function patchGroup(
  model: GroupsModel,
  actor: number,
  groupId: number,
  asked: GroupPatch,
): void {
  model.checkNoGuest(actor);
  const group = model.changeable(groupId);
  if (!model.manages(actor, group)) throw new Refusal();
  if (asked.name !== undefined && asked.name !== group.name) {
    model.checkName(asked.name);
    group.name = asked.name;
  }
  if (asked.description !== undefined) group.description = asked.description;
  if (asked.deactivated === false) group.deactivated = false;
  for (const name of settingNames) {
    const update = asked.settings[name];
    if (update) group.settings[name] = model.updated(rules[name], group.settings[name], update);
  }
}

/** Deactivates a group (user-groups.md §5.3). */
export function deactivateGroup(model: GroupsModel, actor: number, groupId: number): void {
  model.checkNoGuest(actor);
  const group = model.changeable(groupId);
  if (group.deactivated || !model.manages(actor, group)) throw new Refusal();
  const objections = model.objections(groupId);
  if (objections.length > 0) throw new Refusal("CANNOT_DEACTIVATE_GROUP_IN_USE", { objections });
  group.deactivated = true;
}

export interface Composition {
  readonly add: readonly number[];
  readonly delete: readonly number[];
  readonly addSubgroups: readonly number[];
  readonly deleteSubgroups: readonly number[];
}

/** Changes members and subgroups of a group (user-groups.md §5.5 and §5.6). */
export function composeGroup(
  model: GroupsModel,
  actor: number,
  groupId: number,
  asked: Composition,
): void {
  const { add, delete: remove, addSubgroups, deleteSubgroups } = asked;
  model.checkNoGuest(actor);
  if (Object.values(asked).every((ids: readonly number[]) => ids.length === 0)) throw new Refusal();
  const group = model.changeable(groupId);
  const manages = model.manages(actor, group);
  const may = (setting: SettingName) => manages || model.holdsOf(actor, group, setting);
  const isSelf = (ids: readonly number[]) => ids.length === 1 && ids[0] === actor;
  const mayAdd = may("can_add_members_group");
  if (add.length > 0 && !mayAdd && !(isSelf(add) && may("can_join_group"))) throw new Refusal();
  if (
    remove.length > 0 &&
    !may("can_remove_members_group") &&
    !(isSelf(remove) && may("can_leave_group"))
  )
    throw new Refusal();
  if (addSubgroups.length > 0 && !mayAdd) throw new Refusal();
  if (deleteSubgroups.length > 0 && !manages) throw new Refusal();
  model.checkUsers([...add, ...remove]);
  for (const id of add) {
    if (group.members.has(id)) throw new Refusal();
    group.members.add(id);
  }
  for (const id of remove) if (!group.members.delete(id)) throw new Refusal();
  for (const id of addSubgroups) {
    model.checkUsable(id);
    const closes = id === groupId || model.subgroupsOf(id).includes(groupId);
    if (closes || group.subgroups.has(id)) throw new Refusal();
    group.subgroups.add(id);
  }
  for (const id of deleteSubgroups) {
    model.checkUsable(id);
    if (!group.subgroups.delete(id)) throw new Refusal();
  }
}

/** A public channel (channels.md §4), of which only `can_subscribe_group` matters. */
export function createChannel(
  model: GroupsModel,
  actor: number,
  id: number,
  subscribe: Value | undefined,
): void {
  model.checkNoGuest(actor);
  if (!model.holdsOfRealm(actor, "can_create_public_channel_group")) throw new Refusal();
  const value = model.canonical(subscribe ?? model.idOf("role:nobody"));
  model.checkValue(channelRule, value);
  model.state.channels.set(id, value);
}

/**
 * Changes the organization: `PATCH /realm` (user-groups.md §3.2).
 * @returns the fields of the response
 */
export function patchRealm(
  model: GroupsModel,
  actor: number,
  asked: {
    readonly waitingPeriod: number | undefined;
    readonly settings: Readonly<Partial<Record<RealmSettingName, Update>>>;
  },
): Record<string, unknown> {
  const { role } = model.user(actor);
  const ownersOnly = asked.settings.can_manage_all_groups ?? asked.settings.can_create_groups;
  const needsOwner = ownersOnly !== undefined || asked.waitingPeriod !== undefined;
  if (role > 200 || (needsOwner && role !== 100)) throw new Refusal("UNAUTHORIZED_PRINCIPAL");
  const changed: Record<string, unknown> = {};
  const { state } = model;
  if (asked.waitingPeriod !== undefined && asked.waitingPeriod !== state.waitingPeriod)
    changed["waiting_period_threshold"] = state.waitingPeriod = asked.waitingPeriod;
  for (const name of realmSettingNames) {
    const update = asked.settings[name];
    if (!update) continue;
    const value = model.updated(rules[name], state.realm[name], update);
    if (value !== state.realm[name]) changed[name] = state.realm[name] = value;
  }
  return changed;
}

/** Changes an account's role (users.md §3). */
export function changeRole(model: GroupsModel, actor: number, userId: number, role: number): void {
  const by = model.user(actor);
  const target = model.user(userId);
  if (by.role > 200) throw new Refusal();
  if (role === target.role) return;
  if ((role === 100 || target.role === 100) && by.role !== 100)
    throw new Refusal("UNAUTHORIZED_PRINCIPAL");
  const owner = target.owner === undefined ? undefined : model.user(target.owner);
  if (owner?.role === 600 && role !== 600) throw new Refusal();
  if (isLastOwner(model, target)) throw new Refusal();
  if (target.role === 600 && role <= 200) throw new Refusal();
  const wasGuest = target.role === 600;
  target.role = role;
  if (wasGuest !== (role === 600)) takeBotsAlong(model, target);
}

/** The bots of an account that becomes a guest become guests, and members again when it stops being a guest. */
function takeBotsAlong(model: GroupsModel, { id, role }: ModelUser): void {
  const becomes = role === 600;
  for (const each of model.state.users.values()) {
    if (each.owner !== id || (becomes ? each.role === 600 : !each.guestWithOwner)) continue;
    each.role = becomes ? 600 : 400;
    each.guestWithOwner = becomes;
  }
}

/** Deactivates an account (users.md §4). */
export function deactivateUser(model: GroupsModel, actor: number, userId: number): void {
  const by = model.user(actor);
  const target = model.user(userId);
  if (target.owner !== undefined || !target.active || by.role > 200) throw new Refusal();
  if (target.role === 100 && by.role !== 100) throw new Refusal("UNAUTHORIZED_PRINCIPAL");
  if (isLastOwner(model, target)) throw new Refusal();
  for (const each of model.state.users.values())
    if (each.id === userId || each.owner === userId) each.active = false;
}

/** Reactivates people, and bots with an active owner and a free name (users.md §5). */
export function reactivateUser(model: GroupsModel, actor: number, userId: number): void {
  if (model.user(actor).role > 200) throw new Refusal();
  model.user(userId).active = true;
}

function isLastOwner(model: GroupsModel, target: ModelUser): boolean {
  const isOwner = ({ role, active, owner }: ModelUser) =>
    role === 100 && active && owner === undefined;
  const others = [...model.state.users.values()].filter(
    (user) => isOwner(user) && user.id !== target.id,
  );
  return isOwner(target) && others.length === 0;
}
