import { listUserGroupSubgroups } from "@carillon/contract";
import { readSubgroups } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listUserGroupSubgroups, async ({ snapshot, path, input, actor }) => {
  const options = { directOnly: input.direct_subgroup_only };
  return {
    subgroups: await snapshot((sql) => readSubgroups(sql, actor, path.user_group_id, options)),
  };
});
