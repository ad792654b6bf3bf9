import { reactivateUser as operation } from "@carillon/contract";
import { reactivateUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, path, actor, services }) =>
  reactivateUser(tx, services.site, actor, path.user_id),
);
