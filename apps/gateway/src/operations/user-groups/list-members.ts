import { listUserGroupMembers } from "@carillon/contract";
import { readMembers } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(listUserGroupMembers, async ({ path, input, actor, services }) => {
  const options = { directOnly: input.direct_member_only };
  return {
    members: await services.db.transaction(
      (tx) => readMembers(tx, actor, path.user_group_id, options),
      { mode: "repeatable read read only" },
    ),
  };
});
