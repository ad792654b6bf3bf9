import { updateUserGroupSubgroups } from "@carillon/contract";
import { changeComposition } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(updateUserGroupSubgroups, async ({ path, input, actor, services }) => {
  const composition = {
    add: [],
    delete: [],
    addSubgroups: input.add,
    deleteSubgroups: input.delete,
  };
  await services.db.transaction((tx) =>
    changeComposition(tx, actor, path.user_group_id, composition),
  );
});
