import { muteUser as operation } from "@carillon/contract";
import { muteUser } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ path, actor, services }) => {
  await services.db.transaction((tx) => muteUser(tx, actor, path.muted_user_id));
});
