import { unmuteUser as operation } from "@carillon/contract";
import { unmuteUser } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ path, actor, services }) => {
  await services.db.transaction((tx) => unmuteUser(tx, actor, path.muted_user_id));
});
