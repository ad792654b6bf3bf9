import { reactivateUser as operation } from "@carillon/contract";
import { reactivateUser } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, ({ path, actor, services }) =>
  services.db.transaction((tx) => reactivateUser(tx, actor, path.user_id)),
);
