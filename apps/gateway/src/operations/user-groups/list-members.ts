import { listUserGroupMembers } from "@carillon/contract";
import { readMembers } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listUserGroupMembers, async ({ snapshot, path, input, actor }) => {
  const options = { directOnly: input.direct_member_only };
  return {
    members: await snapshot((sql) => readMembers(sql, actor, path.user_group_id, options)),
  };
});
