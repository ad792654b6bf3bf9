import { groupEvents, loadNamedGroups } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { noSuchGroup, type OpenGroup } from "./open-group.ts";
import type { GroupAudit, Told } from "./told.ts";

const drop = statement({
  name: "subgroups-remove",
  text: "DELETE FROM user_group_subgroup WHERE supergroup_id = $1 AND subgroup_id = ANY($2::int[])",
  row: {},
});

/**
 * Adds direct subgroups, then removes some.
 * @param wanted ids, ascending, each once
 * @param supergroups the group and all that it is a part of, read under the lock of the group graph
 * @throws ApiError `BAD_REQUEST` for an unknown or deactivated group, for one that is a subgroup already, or none, and
 *   for one that the group is a part of
 */
export async function changeSubgroups(
  tx: Tx,
  { realm, group }: OpenGroup,
  wanted: { readonly addSubgroups: readonly number[]; readonly deleteSubgroups: readonly number[] },
  supergroups: readonly number[],
): Promise<Told> {
  const { addSubgroups: add, deleteSubgroups: remove } = wanted;
  if (add.length + remove.length === 0) return { events: [], audit: [] };
  await checkSubgroups(tx, realm.id, [...add, ...remove]);
  const subgroups = await directSubgroups(tx, group.id, [...add, ...remove]);
  for (const id of add) {
    if (subgroups.has(id)) throw errors.badRequest(`The group ${id} is a subgroup already`);
    if (supergroups.includes(id))
      throw errors.badRequest(`The group ${id} contains this one: it cannot be its subgroup`);
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
 * Subgroups must be there, and in use; they stay so until the transaction ends.
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
  row: {},
});

export async function insertSubgroups(
  tx: Tx,
  groupId: number,
  ids: readonly number[],
): Promise<void> {
  await tx.rows(insert, [groupId, ids]);
}

export function subgroupAudit(type: GroupAudit["type"], ids: readonly number[]): GroupAudit[] {
  return ids.map((subgroup_id) => ({ type, data: { subgroup_id } }));
}

const present = statement({
  name: "subgroups-among",
  text: "SELECT subgroup_id AS id FROM user_group_subgroup WHERE supergroup_id = $1 AND subgroup_id = ANY($2::int[])",
  row: { id: column.int },
});

async function directSubgroups(
  tx: Tx,
  groupId: number,
  among: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.rows(present, [groupId, among]);
  return new Set(rows.map(({ id }) => id));
}
