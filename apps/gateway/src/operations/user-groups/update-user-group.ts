import {
  groupPermissions,
  groupSettingsIn,
  updateUserGroup as operation,
} from "@carillon/contract";
import { updateUserGroup } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ path, input, actor, services }) => {
  const { name, description, deactivated } = input;
  const changes = {
    name,
    description,
    deactivated,
    settings: groupSettingsIn(groupPermissions, input),
  };
  await services.db.transaction((tx) => updateUserGroup(tx, actor, path.user_group_id, changes));
});
