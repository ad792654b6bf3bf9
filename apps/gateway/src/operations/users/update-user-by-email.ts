import { updateUserByEmail } from "@carillon/contract";
import { updateUser } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { userChanges } from "./user-changes.ts";

export default handle.changes(updateUserByEmail, ({ tx, input, path, actor, services }) =>
  updateUser(tx, services.site, actor, path.email, userChanges(input)),
);
