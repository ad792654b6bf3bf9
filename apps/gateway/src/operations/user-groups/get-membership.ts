import { getUserGroupMembership } from "@carillon/contract";
import { readMembership } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getUserGroupMembership, async ({ snapshot, path, input, actor }) => {
  const options = { directOnly: input.direct_member_only };
  return {
    is_user_group_member: await snapshot((sql) =>
      readMembership(sql, actor, path.user_group_id, path.user_id, options),
    ),
  };
});
