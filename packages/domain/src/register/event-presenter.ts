import { roles } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import type { Presenter, AccountSql } from "@carillon/events";
import { hostOf, loadRealm, type Site } from "@carillon/model";

import { listEmoji } from "../emoji/realm-emoji.ts";
import type { EventContext } from "../event-formats/outgoing-event.ts";
import { presentEvent } from "../event-formats/present-event.ts";

/** Returns the presenter with which a gateway's hub converts events of the log to events of a queue. */
export function eventPresenter(
  sql: Sql,
  site: Pick<Site, "url" | "secrets">,
): Presenter<EventContext> {
  return {
    context: async (realmId) => {
      const [realm, realmEmoji] = await Promise.all([
        loadRealm(sql, realmId),
        listEmoji(sql, realmId),
      ]);
      const { emptyTopicDisplayName } = realm;
      const host = hostOf(site, realm);
      const { url: siteUrl, secrets } = site;
      return { emptyTopicDisplayName, siteUrl, host, realmEmoji, secrets };
    },
    present: presentEvent,
    accounts: queueAccounts,
  };
}

/** What polls read about accounts: the role, whether the account is active, and the digest of its API key. */
const queueAccounts: AccountSql = {
  table: "users",
  viewerRole: "u.role",
  // Also checked here because the account may have become a guest since the registration.
  mayListenToAll: `u.role <> ${roles.guest}`,
  keyDigest: "u.api_key_digest",
  isActive: "u.is_active",
};
