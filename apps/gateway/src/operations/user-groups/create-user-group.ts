import {
  groupPermissions,
  groupSettingsIn,
  createUserGroup as operation,
} from "@carillon/contract";
import { createUserGroup } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const { name, description, members, subgroups } = input;
  const group = {
    name,
    description,
    members,
    subgroups,
    settings: groupSettingsIn(groupPermissions, input),
  };
  return {
    group_id: await createUserGroup(tx, actor, group),
  };
});
