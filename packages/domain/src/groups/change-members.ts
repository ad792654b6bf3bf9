import { errors } from "@carillon/contract";
import { groupEvents } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

import { deleteMembers, insertMembers } from "./member-rows.ts";
import type { OpenGroup } from "./open-group.ts";
import type { GroupAudit, Told } from "./told.ts";

/**
 * Adds direct members, then removes some.
 * @param wanted ids of active accounts, ascending, each once
 * @throws ApiError `BAD_REQUEST` for one that is a member already, or none
 */
export async function changeMembers(
  tx: Tx,
  { group }: OpenGroup,
  wanted: { readonly add: readonly number[]; readonly delete: readonly number[] },
): Promise<Told> {
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

const present = statement({
  name: "group-members-among",
  text: "SELECT user_id AS id FROM user_group_member WHERE group_id = $1 AND user_id = ANY($2::int[])",
  row: { id: column.int },
});

async function directMembers(
  tx: Tx,
  groupId: number,
  among: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.rows(present, [groupId, among]);
  return new Set(rows.map(({ id }) => id));
}
