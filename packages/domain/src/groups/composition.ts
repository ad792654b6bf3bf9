import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import {
  type Account,
  groupEvents,
  loadActiveAccounts,
  loadAllMembers,
  loadNamedGroups,
  loadSupergroups,
} from "@carillon/model";

import { recordMembershipNotices } from "../notices/record.ts";
import { visibilityEvents, watchChannels } from "./channel-visibility.ts";
import {
  checkIsNoSystemGroup,
  type GroupAudit,
  holds,
  manages,
  mayAddMembers,
  noSuchGroup,
  openGroup,
  type OpenGroup,
  recordAndEmit,
  type GroupChange,
} from "./open-group.ts";

/** The requested changes of a group: ids of accounts and of groups. */
interface Composition {
  readonly add: readonly number[];
  readonly delete: readonly number[];
  readonly addSubgroups: readonly number[];
  readonly deleteSubgroups: readonly number[];
}

/**
 * Changes the members and subgroups of a group, which may be deactivated, in the order of the fields (user-groups.md
 * §5.5 and §5.6). Writes the rows, events and notices to the affected people.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function changeComposition(
  tx: Tx,
  actor: Account,
  groupId: number,
  asked: Composition,
): Promise<void> {
  const wanted: Composition = {
    add: distinct(asked.add),
    delete: distinct(asked.delete),
    addSubgroups: distinct(asked.addSubgroups),
    deleteSubgroups: distinct(asked.deleteSubgroups),
  };
  const subgroupIds = [...wanted.addSubgroups, ...wanted.deleteSubgroups];
  if (wanted.add.length + wanted.delete.length + subgroupIds.length === 0)
    throw errors.badRequest("Nothing to change: name at least one user or group to add or delete");
  const open = await openGroup(tx, actor, groupId);
  checkIsNoSystemGroup(open);
  assertCanChange(open, wanted);
  const [accounts, supergroups, subgroupMembers] = await Promise.all([
    loadActiveAccounts(tx, actor.realmId, [...wanted.add, ...wanted.delete]),
    loadSupergroups(tx, groupId),
    subgroupIds.length > 0 ? loadAllMembers(tx, subgroupIds) : [],
  ]);
  const affected = distinct([...accounts.map(({ id }) => id), ...subgroupMembers]);
  const watched = await watchChannels(tx, actor.realmId, supergroups, affected);
  const changes = [
    await changeMembers(tx, open, wanted),
    await changeSubgroups(tx, open, wanted, supergroups),
  ];
  await recordMembershipNotices(tx, actor, groupId, accounts, wanted);
  const events = await visibilityEvents(tx, watched);
  recordAndEmit(tx, actor, groupId, [...changes, { events, audit: [] }]);
}

/**
 * Checks the permissions for the whole request before anything changes. Without the permission to add or remove
 * members, an actor may still add or remove itself, with the permission to join or to leave.
 */
function assertCanChange(open: OpenGroup, wanted: Composition): void {
  const adds = mayAddMembers(open);
  if (manages(open)) return;
  const isSelf = ([id, ...others]: readonly number[]) =>
    id === open.actor.id && others.length === 0;
  if (wanted.add.length > 0 && !adds && !(isSelf(wanted.add) && holds(open, "canJoinGroup")))
    throw errors.badRequest("You may not add members to this user group");
  if (
    wanted.delete.length > 0 &&
    !holds(open, "canRemoveMembersGroup") &&
    !(isSelf(wanted.delete) && holds(open, "canLeaveGroup"))
  )
    throw errors.badRequest("You may not remove members from this user group");
  if (wanted.addSubgroups.length > 0 && !adds)
    throw errors.badRequest("You may not add subgroups to this user group");
  if (wanted.deleteSubgroups.length > 0)
    throw errors.badRequest("You may not remove subgroups from this user group");
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

/**
 * Adds direct members, then removes some.
 * @param wanted ids of active accounts, ascending, without duplicates
 * @throws ApiError `BAD_REQUEST` for adding an existing member, and for removing an account that is not one
 */
async function changeMembers(
  tx: Tx,
  { group }: OpenGroup,
  wanted: { readonly add: readonly number[]; readonly delete: readonly number[] },
): Promise<GroupChange> {
  const { add, delete: remove } = wanted;
  if (add.length + remove.length === 0) return { events: [], audit: [] };
  const members = await directMembers(tx, group.id, [...add, ...remove]);
  for (const id of add)
    if (members.has(id)) throw errors.badRequest(`The user ${id} is a member of the group already`);
  for (const id of add) members.add(id);
  for (const id of remove)
    if (!members.has(id)) throw errors.badRequest(`The user ${id} is not a member of the group`);
  await Promise.all([
    tx.rows(insertMembers, [group.id, add]),
    tx.rows(deleteMembers, [group.id, remove]),
  ]);
  const audit = (type: GroupAudit["type"], ids: readonly number[]) =>
    ids.map((userId) => ({ type, userId }));
  return {
    events: [...groupEvents.membersAdded(group, add), ...groupEvents.membersRemoved(group, remove)],
    audit: [
      ...audit("user_group_member_added", add),
      ...audit("user_group_member_removed", remove),
    ],
  };
}

const membersPresent = statement({
  name: "group-members-among",
  text: "SELECT user_id AS id FROM user_group_member WHERE group_id = $1 AND user_id = ANY($2::int[])",
});

async function directMembers(
  tx: Tx,
  groupId: number,
  among: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.rows(membersPresent, [groupId, among]);
  return new Set(rows.map(({ id }) => id));
}

const drop = statement({
  name: "subgroups-remove",
  text: "DELETE FROM user_group_subgroup WHERE supergroup_id = $1 AND subgroup_id = ANY($2::int[])",
});

/**
 * Adds direct subgroups, then removes some.
 * @param wanted ids, ascending, without duplicates
 * @param supergroups the group and all groups that contain it, read under the lock of the group graph
 * @throws ApiError `BAD_REQUEST` for an unknown or deactivated group, for adding an existing subgroup or a group that
 * contains this one, and for removing a group that is not a subgroup
 */
async function changeSubgroups(
  tx: Tx,
  { realm, group }: OpenGroup,
  wanted: { readonly addSubgroups: readonly number[]; readonly deleteSubgroups: readonly number[] },
  supergroups: readonly number[],
): Promise<GroupChange> {
  const { addSubgroups: add, deleteSubgroups: remove } = wanted;
  if (add.length + remove.length === 0) return { events: [], audit: [] };
  await checkSubgroups(tx, realm.id, [...add, ...remove]);
  const subgroups = await directSubgroups(tx, group.id, [...add, ...remove]);
  for (const id of add) {
    if (subgroups.has(id)) throw errors.badRequest(`The group ${id} is a subgroup already`);
    if (supergroups.includes(id))
      throw errors.badRequest(
        `The group ${id} contains this group, so it cannot be one of its subgroups`,
      );
  }
  for (const id of add) subgroups.add(id);
  for (const id of remove)
    if (!subgroups.has(id)) throw errors.badRequest(`The group ${id} is not a subgroup`);
  await Promise.all([insertSubgroups(tx, group.id, add), tx.rows(drop, [group.id, remove])]);
  return {
    events: [
      ...groupEvents.subgroupsAdded(group, add),
      ...groupEvents.subgroupsRemoved(group, remove),
    ],
    audit: [
      ...subgroupAudit("user_group_subgroup_added", add),
      ...subgroupAudit("user_group_subgroup_removed", remove),
    ],
  };
}

/**
 * Checks that the subgroups exist and are active. The caller's lock keeps them so until the transaction ends.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkSubgroups(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<void> {
  const groups = await loadNamedGroups(tx, realmId, ids);
  for (const id of ids) {
    const group = groups.get(id);
    if (!group) throw noSuchGroup();
    if (group.deactivated) throw errors.badRequest(`The user group ${group.name} is deactivated`);
  }
}

const insert = statement({
  name: "subgroups-add",
  text: "INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT $1, unnest($2::int[])",
});

export async function insertSubgroups(
  tx: Tx,
  groupId: number,
  ids: readonly number[],
): Promise<void> {
  await tx.rows(insert, [groupId, ids]);
}

/** Makes the entries of the audit log about subgroups, one for each. */
export function subgroupAudit(type: GroupAudit["type"], ids: readonly number[]): GroupAudit[] {
  return ids.map((subgroup_id) => ({ type, data: { subgroup_id } }));
}

const subgroupsPresent = statement({
  name: "subgroups-among",
  text: "SELECT subgroup_id AS id FROM user_group_subgroup WHERE supergroup_id = $1 AND subgroup_id = ANY($2::int[])",
});

async function directSubgroups(
  tx: Tx,
  groupId: number,
  among: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.rows(subgroupsPresent, [groupId, among]);
  return new Set(rows.map(({ id }) => id));
}

/** `$1` the group, `$2` accounts that are not direct members. */
export const insertMembers = statement({
  name: "group-members-add",
  text: "INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])",
});

/** `$1` the group, `$2` accounts. */
export const deleteMembers = statement({
  name: "group-members-remove",
  text: "DELETE FROM user_group_member WHERE group_id = $1 AND user_id = ANY($2::int[])",
});
