import { updateUserGroupMembers } from "@carillon/contract";
import { changeComposition } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateUserGroupMembers, async ({ tx, path, input, actor }) => {
  const composition = {
    add: input.add,
    delete: input.delete,
    addSubgroups: input.add_subgroups,
    deleteSubgroups: input.delete_subgroups,
  };
  await changeComposition(tx, actor, path.user_group_id, composition);
});
