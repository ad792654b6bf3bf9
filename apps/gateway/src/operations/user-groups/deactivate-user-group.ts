import { deactivateUserGroup as operation } from "@carillon/contract";
import { deactivateUserGroup } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ path, actor, services }) => {
  await services.db.transaction((tx) => deactivateUserGroup(tx, actor, path.user_group_id));
});
