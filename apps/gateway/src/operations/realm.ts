import * as contract from "@carillon/contract";
import { deactivateOrganization, testWelcome, updateRealm } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.updateRealm, async ({ tx, input, actor, services }) => {
    const properties = contract.organizationSettingsIn(input);
    const settings = contract.groupSettingsIn(contract.realmPermissions, input);
    const changed = await updateRealm(tx, services.site, actor, {
      properties,
      authenticationMethods: input.authentication_methods,
      settings,
    });
    const answer = Object.entries(changed).map(([name, value]) => [
      name,
      typeof value === "string" ? "updated" : value,
    ]);
    return Object.fromEntries(answer) as contract.ResultOf<typeof contract.updateRealm>;
  }),

  handle.changes(contract.testWelcomeMessage, async ({ tx, input, actor, services }) => {
    const text = input.welcome_message_custom_text;
    return { message_id: await testWelcome(tx, services.site, actor, text) };
  }),

  handle.changes(contract.deactivateRealm, async ({ tx, actor }) => {
    await deactivateOrganization(tx, actor);
  }),
];
