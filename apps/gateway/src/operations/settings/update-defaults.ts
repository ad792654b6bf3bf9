import { updateSettingsDefaults as operation } from "@carillon/contract";
import { updateSettingsDefaults } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, input, actor }) =>
  updateSettingsDefaults(tx, actor, input),
);
