import {
  groupPermissions,
  groupSettingsIn,
  updateUserGroup as operation,
} from "@carillon/contract";
import { updateUserGroup } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, input, actor }) => {
  const { name, description, deactivated } = input;
  const changes = {
    name,
    description,
    deactivated,
    settings: groupSettingsIn(groupPermissions, input),
  };
  await updateUserGroup(tx, actor, path.user_group_id, changes);
});
