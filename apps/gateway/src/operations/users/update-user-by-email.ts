import { updateUserByEmail } from "@carillon/contract";
import { updateUser } from "@carillon/domain";
import { handle } from "../../services.ts";
import { userChanges } from "./user-changes.ts";

export default handle(updateUserByEmail, ({ input, path, actor, services }) =>
  updateUser(services.db, services.site, actor, path.email, userChanges(input)),
);
