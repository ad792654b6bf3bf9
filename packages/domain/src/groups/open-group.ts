import {
  type Account,
  type Memberships,
  type Realm,
  type UserGroup,
  currentActor,
  loadMemberships,
  loadRealm,
  lockGroupGraph,
  findUserGroup,
} from "@carillon/model";
import {
  errors,
  type GroupPermission,
  groupPermissions,
  realmPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

/** A group that somebody wants to change, in the hands of the transaction, with what tells whether they may. */
export interface OpenGroup {
  readonly actor: Account;
  readonly realm: Realm;
  readonly group: UserGroup;
  /** Those of the actor. */
  readonly memberships: Memberships;
}

/**
 * Takes the locks that a change of the group needs, then reads it: the request that comes second sees what the first
 * has done.
 * @throws ApiError `BAD_REQUEST` when the organization has no such group, `UNAUTHORIZED` when the actor is gone by then
 */
export async function openGroup(tx: Tx, actor: Account, groupId: number): Promise<OpenGroup> {
  const [, group, now, realm, memberships] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    findUserGroup(tx, actor.realmId, groupId),
    currentActor(tx, actor),
    loadRealm(tx, actor.realmId),
    loadMemberships(tx, [actor.id]),
  ]);
  if (!group) throw noSuchGroup();
  return { actor: now, realm, group, memberships };
}

/** The refusal of an id that is no group's. */
export function noSuchGroup() {
  return errors.badRequest("There is no such user group");
}

/** @throws ApiError `BAD_REQUEST`, for everybody: the system groups follow the roles */
export function checkIsNoSystemGroup({ group }: OpenGroup): void {
  if (group.isSystemGroup) throw errors.badRequest("System groups cannot be changed");
}

/** @throws ApiError `BAD_REQUEST` unless the actor manages the group */
export function checkManages(open: OpenGroup): void {
  if (!manages(open)) throw errors.badRequest("You may not manage this user group");
}

/** Whether the actor manages this group, or all groups. Roles give nothing (user-groups.md §4). */
export function manages(open: OpenGroup): boolean {
  const { actor, realm, memberships } = open;
  const { canManageAllGroups } = realmPermissions;
  return (
    memberships.holds(actor, canManageAllGroups, realm.groups.canManageAllGroups) ||
    holds(open, "canManageGroup")
  );
}

/** Whether the actor holds the group's permission. */
export function holds(
  { actor, group, memberships }: OpenGroup,
  permission: GroupPermission,
): boolean {
  return memberships.holds(actor, groupPermissions[permission], group.groups[permission]);
}
