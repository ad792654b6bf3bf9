import { type Account, loadActiveAccounts, loadAllMembers, loadSupergroups } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { recordMembershipNotices } from "../notices/record.ts";
import { visibilityEvents, watchChannels } from "./channel-visibility.ts";
import { changeMembers } from "./change-members.ts";
import { changeSubgroups } from "./change-subgroups.ts";
import { checkIsNoSystemGroup, holds, manages, openGroup, type OpenGroup } from "./open-group.ts";
import { tell } from "./told.ts";

/** Who and what is to be in a group: ids of accounts and of groups. */
export interface Composition {
  readonly add: readonly number[];
  readonly delete: readonly number[];
  readonly addSubgroups: readonly number[];
  readonly deleteSubgroups: readonly number[];
}

/**
 * Changes the members and subgroups of a group, deactivated ones too, in the order of the fields (user-groups.md §5.5
 * and §5.6): rows, events, messages to the people concerned.
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
    throw errors.badRequest("Say whom or what to add or to delete");
  const open = await openGroup(tx, actor, groupId);
  checkIsNoSystemGroup(open);
  checkMayChange(open, wanted);
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
  tell(tx, actor, groupId, [...changes, { events, audit: [] }]);
}

/**
 * Everything that the request asks for is looked at before anything changes. For a request by which only the actor
 * joins or leaves there is a permission of its own.
 */
function checkMayChange(open: OpenGroup, wanted: Composition): void {
  if (manages(open)) return;
  const isSelf = ([id, ...others]: readonly number[]) =>
    id === open.actor.id && others.length === 0;
  const adds = holds(open, "canAddMembersGroup");
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
