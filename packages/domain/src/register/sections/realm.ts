import { type Realm, legacyPolicies, loadGroupValues, loadSystemGroups } from "@carillon/model";
import { type GroupSettingValue, type RealmPermission, realmPermissions } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { serverLimits } from "../../server/limits.ts";
import { serverTimings } from "../../server/timings.ts";
import { realmIdentity } from "../realm/identity.ts";
import { messageSettings } from "../realm/message-settings.ts";
import { realmPolicies } from "../realm/policies.ts";
import { loadRealmRow } from "../realm/realm-row.ts";
import { serverFacts } from "../realm/server.ts";
import type { Section } from "../context/section.ts";

/** The organization, and the server that it is on (events.md §1.3). */
export const realm: Section = {
  names: ["realm"],
  async load({ tx, site, realm }) {
    const [row, systemGroups, permissions] = await Promise.all([
      loadRealmRow(tx, realm.id),
      loadSystemGroups(tx, realm.id),
      loadPermissions(tx, realm),
    ]);
    return {
      ...serverLimits,
      ...serverTimings,
      ...realmIdentity(site, realm, row),
      ...messageSettings(realm, row),
      ...realmPolicies(site, realm, row),
      ...withPrefix(legacyPolicies(realm, systemGroups)),
      ...permissions,
      ...serverFacts(site),
    };
  },
};

function withPrefix(policies: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(policies).map(([name, value]) => [`realm_${name}`, value]),
  );
}

/** Every permission of the organization, as `realm_` and its name. */
async function loadPermissions(sql: Sql, realm: Realm): Promise<Record<string, GroupSettingValue>> {
  const valueOf = await loadGroupValues(sql, Object.values(realm.groups));
  const values = Object.entries(realmPermissions).map(([key, { name }]) => [
    `realm_${name}`,
    valueOf(realm.groups[key as RealmPermission]),
  ]);
  return Object.fromEntries(values) as Record<string, GroupSettingValue>;
}
