import { roles } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import type { Presenter, QueueAccounts } from "@carillon/events";
import { hostOf, loadRealm, type Site } from "@carillon/model";

import type { EventContext } from "../event-formats/outgoing-event.ts";
import { presentEvent } from "../event-formats/present-event.ts";

/** How events of the log become those of a queue, for the hub of a gateway. */
export function eventPresenter(sql: Sql, site: Pick<Site, "url">): Presenter<EventContext> {
  return {
    context: async (realmId) => {
      const realm = await loadRealm(sql, realmId);
      const { emptyTopicDisplayName } = realm;
      return { emptyTopicDisplayName, siteUrl: site.url, host: hostOf(site, realm) };
    },
    present: presentEvent,
    accounts: queueAccounts,
  };
}

/** What polls ask of accounts: what follows from their role, whether they are active, and their API key. */
const queueAccounts: QueueAccounts = {
  table: "users",
  userVisibility: "u.role",
  // Also of who has become a guest since the registration.
  mayListenToAll: `u.role <> ${roles.guest}`,
  keyDigest: "u.api_key_digest",
  isActive: "u.is_active",
};
