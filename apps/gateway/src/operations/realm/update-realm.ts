import {
  groupSettingsIn,
  realmPermissions,
  updateRealm as operation,
  type ResultOf,
} from "@carillon/contract";
import { updateRealm } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const {
    name,
    description,
    waiting_period_threshold,
    require_unique_names,
    name_changes_disabled,
    email_changes_disabled,
  } = input;
  const properties = {
    name,
    description,
    waiting_period_threshold,
    require_unique_names,
    name_changes_disabled,
    email_changes_disabled,
  };
  const settings = groupSettingsIn(realmPermissions, input);
  const changed = await updateRealm(tx, actor, { properties, settings });
  const answer = Object.entries(changed).map(([name, value]) => [
    name,
    typeof value === "string" ? "updated" : value,
  ]);
  return Object.fromEntries(answer) as ResultOf<typeof operation>;
});
