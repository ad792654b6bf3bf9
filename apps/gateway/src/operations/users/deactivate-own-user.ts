import { deactivateOwnUser as operation } from "@carillon/contract";
import { deactivateOwnUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(operation, ({ actor, services }) =>
  deactivateOwnUser(services.db, actor),
);
