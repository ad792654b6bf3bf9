import {
  groupSettingsIn,
  realmPermissions,
  updateRealm as operation,
  type ResultOf,
} from "@carillon/contract";
import { updateRealm } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
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
  const changed = await services.db.transaction((tx) =>
    updateRealm(tx, actor, { properties, settings }),
  );
  const answer = Object.entries(changed).map(([name, value]) => [
    name,
    typeof value === "string" ? "updated" : value,
  ]);
  return Object.fromEntries(answer) as ResultOf<typeof operation>;
});
