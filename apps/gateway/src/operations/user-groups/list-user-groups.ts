import { listUserGroups as operation } from "@carillon/contract";
import { listUserGroups } from "@carillon/model";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ snapshot, input, actor }) => {
  const options = { deactivated: input.include_deactivated_groups };
  return {
    user_groups: await snapshot((sql) => listUserGroups(sql, actor.realmId, options)),
  };
});
