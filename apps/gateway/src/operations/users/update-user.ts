import { updateUser as operation } from "@carillon/contract";
import { updateUser } from "@carillon/domain";
import { handle } from "../../services.ts";
import { userChanges } from "./user-changes.ts";

export default handle(operation, ({ input, path, actor, services }) =>
  updateUser(services.db, services.site, actor, path.user_id, userChanges(input)),
);
