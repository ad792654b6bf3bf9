import { updateRealm as operation, type ResultOf } from "@carillon/contract";
import { updateRealm } from "@carillon/domain";
import { type RealmSetting, realmSettings } from "@carillon/model";
import { handle } from "../../services.ts";

const permissionKeys = Object.keys(realmSettings) as RealmSetting[];

export default handle(operation, async ({ input, actor, services }) => {
  const {
    name,
    description,
    waiting_period_threshold,
    require_unique_names,
    name_changes_disabled,
    email_changes_disabled,
    ...updates
  } = input;
  const permissions = Object.fromEntries(
    permissionKeys.map((key) => [key, updates[realmSettings[key].name]]),
  );
  const properties = {
    name,
    description,
    waiting_period_threshold,
    require_unique_names,
    name_changes_disabled,
    email_changes_disabled,
  };
  const changed = await services.db.transaction((tx) =>
    updateRealm(tx, actor, { properties, permissions }),
  );
  const answer = Object.entries(changed).map(([setting, value]) => [
    setting,
    typeof value === "string" ? "updated" : value,
  ]);
  return Object.fromEntries(answer) as ResultOf<typeof operation>;
});
