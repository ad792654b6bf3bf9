import { listUserGroupSubgroups } from "@carillon/contract";
import { readSubgroups } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(listUserGroupSubgroups, async ({ path, input, actor, services }) => {
  const options = { directOnly: input.direct_subgroup_only };
  return {
    subgroups: await services.db.transaction(
      (tx) => readSubgroups(tx, actor, path.user_group_id, options),
      { mode: "repeatable read read only" },
    ),
  };
});
