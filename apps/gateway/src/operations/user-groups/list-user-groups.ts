import { listUserGroups as operation } from "@carillon/contract";
import { listUserGroups } from "@carillon/model";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
  const options = { deactivated: input.include_deactivated_groups };
  return {
    user_groups: await services.db.transaction((tx) => listUserGroups(tx, actor.realmId, options), {
      mode: "repeatable read read only",
    }),
  };
});
