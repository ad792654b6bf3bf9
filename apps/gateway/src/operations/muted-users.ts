import * as contract from "@carillon/contract";
import { muteUser, unmuteUser } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.muteUser, async ({ tx, path, actor }) => {
    await muteUser(tx, actor, path.muted_user_id);
  }),

  handle.changes(contract.unmuteUser, async ({ tx, path, actor }) => {
    await unmuteUser(tx, actor, path.muted_user_id);
  }),
];
