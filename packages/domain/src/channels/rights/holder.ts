import type { Account, Memberships, Realm } from "@carillon/model";
import { realmPermissions, type RealmPermission } from "@carillon/contract";

/** Somebody who wants something of a channel, and what tells whether they may, read under the locks of the change. */
export interface Holder {
  readonly actor: Account;
  readonly realm: Realm;
  /** Those of the actor. */
  readonly memberships: Memberships;
}

/** Whether the actor holds the organization's permission. */
export function holdsOfRealm(
  { actor, realm, memberships }: Holder,
  permission: RealmPermission,
): boolean {
  return memberships.holds(actor, realmPermissions[permission], realm.groups[permission]);
}
