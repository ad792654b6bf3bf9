import { registerPushDevice } from "@carillon/contract";
import { registerPushDevice as register } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(registerPushDevice, ({ tx, input, actor, services: { site } }) =>
  register(tx, site, actor, input),
);
