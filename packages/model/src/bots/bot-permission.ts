import type { Tx } from "@carillon/db";

import { loadMemberships } from "../permissions/memberships.ts";
import { realmSettings } from "../permissions/registry.ts";
import type { Realm, RealmSetting } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";

/** Of a bot that only posts what other services send it. */
export const incomingWebhook = 2;

/** Whether the account may have bots of the kind (users.md §5): those that only write have a permission more. */
export async function mayCreateBot(
  tx: Tx,
  realm: Realm,
  account: Account,
  botType: number | null,
): Promise<boolean> {
  const memberships = await loadMemberships(tx, [account.id]);
  const holds = (setting: RealmSetting) =>
    memberships.holds(account, realmSettings[setting], realm.groups[setting]);
  return (
    holds("canCreateBotsGroup") ||
    (botType === incomingWebhook && holds("canCreateWriteOnlyBotsGroup"))
  );
}
