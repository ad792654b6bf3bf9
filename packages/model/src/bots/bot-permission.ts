import { realmPermissions, type RealmPermission } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { loadMemberships } from "../permissions/memberships.ts";
import type { Realm } from "../realms/realm.ts";
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
  const holds = (permission: RealmPermission) =>
    memberships.holds(account, realmPermissions[permission], realm.groups[permission]);
  return (
    holds("canCreateBotsGroup") ||
    (botType === incomingWebhook && holds("canCreateWriteOnlyBotsGroup"))
  );
}
