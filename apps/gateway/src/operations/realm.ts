import * as contract from "@carillon/contract";
import { updateRealm } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.updateRealm, async ({ tx, input, actor }) => {
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
    const settings = contract.groupSettingsIn(contract.realmPermissions, input);
    const changed = await updateRealm(tx, actor, { properties, settings });
    const answer = Object.entries(changed).map(([name, value]) => [
      name,
      typeof value === "string" ? "updated" : value,
    ]);
    return Object.fromEntries(answer) as contract.ResultOf<typeof contract.updateRealm>;
  }),

  handle.reads(contract.listRealmEmoji, async () => ({ emoji: {} })),
];
