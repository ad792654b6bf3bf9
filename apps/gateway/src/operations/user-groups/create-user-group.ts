import {
  groupPermissions,
  groupSettingsIn,
  createUserGroup as operation,
} from "@carillon/contract";
import { createUserGroup } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
  const { name, description, members, subgroups } = input;
  const group = {
    name,
    description,
    members,
    subgroups,
    settings: groupSettingsIn(groupPermissions, input),
  };
  return {
    group_id: await services.db.transaction((tx) => createUserGroup(tx, actor, group)),
  };
});
