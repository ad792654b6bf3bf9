import { updateUserGroupMembers } from "@carillon/contract";
import { changeComposition } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(updateUserGroupMembers, async ({ path, input, actor, services }) => {
  const composition = {
    add: input.add,
    delete: input.delete,
    addSubgroups: input.add_subgroups,
    deleteSubgroups: input.delete_subgroups,
  };
  await services.db.transaction((tx) =>
    changeComposition(tx, actor, path.user_group_id, composition),
  );
});
