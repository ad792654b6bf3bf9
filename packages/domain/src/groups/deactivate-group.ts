import { type Account, groupEvents } from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { findObjections } from "./objections.ts";
import { checkIsNoSystemGroup, checkManages, openGroup } from "./open-group.ts";
import { tell } from "./told.ts";

const deactivate = statement({
  name: "group-deactivate",
  text: "UPDATE named_user_group SET deactivated = true WHERE id = $1",
  row: {},
});

/**
 * Deactivates a user group that nothing uses (user-groups.md §5.3); its members, subgroups and settings stay. A
 * request that is about to use it holds its row, so that uses are looked for only when the row is ours.
 * @throws ApiError `BAD_REQUEST`, `CANNOT_DEACTIVATE_GROUP_IN_USE`
 */
export async function deactivateUserGroup(tx: Tx, actor: Account, groupId: number): Promise<void> {
  const open = await openGroup(tx, actor, groupId);
  if (open.group.deactivated) throw errors.badRequest("The user group is deactivated already");
  checkIsNoSystemGroup(open);
  checkManages(open);
  const objections = await findObjections(tx, actor.realmId, groupId);
  if (objections.length > 0) throw errors.cannotDeactivateGroupInUse(objections);
  await tx.rows(deactivate, [groupId]);
  tell(tx, actor, groupId, [
    {
      events: [groupEvents.updated(open.group, { deactivated: true })],
      audit: [{ type: "user_group_deactivated" }],
    },
  ]);
}
