import { unmuteUser as operation } from "@carillon/contract";
import { unmuteUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, actor }) => {
  await unmuteUser(tx, actor, path.muted_user_id);
});
