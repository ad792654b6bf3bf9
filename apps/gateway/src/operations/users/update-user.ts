import { updateUser as operation } from "@carillon/contract";
import { updateUser } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { userChanges } from "./user-changes.ts";

export default handle.changes(operation, ({ tx, input, path, actor, services }) =>
  updateUser(tx, services.site, actor, path.user_id, userChanges(input)),
);
