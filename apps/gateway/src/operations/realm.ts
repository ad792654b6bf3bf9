import * as contract from "@carillon/contract";
import { updateRealm } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.updateRealm, async ({ tx, input, actor }) => {
    const properties = contract.organizationSettingsIn(input);
    const settings = contract.groupSettingsIn(contract.realmPermissions, input);
    const changed = await updateRealm(tx, actor, { properties, settings });
    const answer = Object.entries(changed).map(([name, value]) => [
      name,
      typeof value === "string" ? "updated" : value,
    ]);
    return Object.fromEntries(answer) as contract.ResultOf<typeof contract.updateRealm>;
  }),
];
