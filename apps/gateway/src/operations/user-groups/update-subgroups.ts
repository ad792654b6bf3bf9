import { updateUserGroupSubgroups } from "@carillon/contract";
import { changeComposition } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateUserGroupSubgroups, async ({ tx, path, input, actor }) => {
  const composition = {
    add: [],
    delete: [],
    addSubgroups: input.add,
    deleteSubgroups: input.delete,
  };
  await changeComposition(tx, actor, path.user_group_id, composition);
});
