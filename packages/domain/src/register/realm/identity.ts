import { type Realm, type Site, hostOf, realmIconUrl, realmUrl } from "@carillon/model";
import type { RealmRow } from "./realm-row.ts";

/** When this process started, in UNIX seconds. */
const serverGeneration = Math.floor(performance.timeOrigin / 1_000);

/** Who the organization is. */
export function realmIdentity(site: Site, realm: Realm, row: RealmRow) {
  const url = realmUrl(site, realm);
  return {
    realm_name: realm.name,
    realm_description: realm.description,
    realm_url: url,
    realm_uri: url,
    realm_icon_url: realmIconUrl(url),
    realm_bot_domain: hostOf(site, realm),
    realm_date_created: row.dateCreated,
    server_generation: serverGeneration,
    realm_org_type: 0,
    realm_plan_type: 1,
  };
}
