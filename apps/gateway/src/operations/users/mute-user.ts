import { muteUser as operation } from "@carillon/contract";
import { muteUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, actor }) => {
  await muteUser(tx, actor, path.muted_user_id);
});
