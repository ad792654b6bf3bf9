import { deactivateUserGroup as operation } from "@carillon/contract";
import { deactivateUserGroup } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, actor }) => {
  await deactivateUserGroup(tx, actor, path.user_group_id);
});
