import { type Site, realmIconUrl, realmOfHost, realmUrl } from "@carillon/model";
import type { Sql } from "@carillon/db";
import { renderDescription } from "@carillon/markdown";

import { serverVersion } from "./version.ts";

/** What a client wants to know before anybody logs in (http-contract.md §10). */
export async function serverSettings(sql: Sql, site: Site, host: string) {
  const realm = await realmOfHost(sql, host);
  const url = realmUrl(site, realm);
  const byPassword = realm.passwordAuthEnabled;
  return {
    authentication_methods: {
      password: byPassword,
      email: byPassword,
      dev: site.development,
      ldap: false,
      remoteuser: false,
    },
    external_authentication_methods: [],
    push_notifications_enabled: site.pushConfigured && realm.pushNotificationsEnabled,
    is_incompatible: false,
    email_auth_enabled: byPassword,
    require_email_format_usernames: true,
    realm_url: url,
    realm_uri: url,
    realm_name: realm.name,
    realm_icon: realmIconUrl(url),
    realm_description: renderDescription(realm.description),
    realm_web_public_access_enabled: realm.enableSpectatorAccess,
    ...serverVersion,
  };
}
