import type { Account, GroupSettingUpdates } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { changeDetails, type GroupDetails } from "./change-details.ts";
import { changeSettings } from "./change-settings.ts";
import { checkIsNoSystemGroup, checkManages, openGroup } from "./open-group.ts";
import { tell } from "./told.ts";

export interface UserGroupChanges extends GroupDetails {
  readonly settings: GroupSettingUpdates<"group">;
}

/**
 * Changes a user group (user-groups.md §5.2), deactivated ones too. Whether the actor manages it is asked once, before
 * anything changes.
 * @throws ApiError `BAD_REQUEST`, `EXPECTATION_MISMATCH`; nothing has changed then
 */
export async function updateUserGroup(
  tx: Tx,
  actor: Account,
  groupId: number,
  changes: UserGroupChanges,
): Promise<void> {
  const { settings, ...details } = changes;
  const given = [...Object.values(details), ...Object.values(settings)];
  if (given.every((value) => value === undefined))
    throw errors.badRequest("Say what to change: name, description, deactivated or a permission");
  const open = await openGroup(tx, actor, groupId);
  checkIsNoSystemGroup(open);
  checkManages(open);
  const deactivated = open.group.deactivated && details.deactivated !== false;
  tell(tx, actor, groupId, [
    await changeDetails(tx, open, details),
    await changeSettings(tx, open, settings, deactivated),
  ]);
}
