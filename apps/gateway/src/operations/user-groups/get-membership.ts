import { getUserGroupMembership } from "@carillon/contract";
import { readMembership } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getUserGroupMembership, async ({ path, input, actor, services }) => {
  const options = { directOnly: input.direct_member_only };
  return {
    is_user_group_member: await services.db.transaction(
      (tx) => readMembership(tx, actor, path.user_group_id, path.user_id, options),
      { mode: "repeatable read read only" },
    ),
  };
});
