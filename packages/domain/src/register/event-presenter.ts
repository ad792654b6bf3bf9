import { type Site, hostOf, loadRealm } from "@carillon/model";
import type { Sql } from "@carillon/db";
import type { Presenter } from "@carillon/events";

import type { EventContext } from "../event-formats/outgoing-event.ts";
import { presentEvent } from "../event-formats/present-event.ts";
import { queueAccounts } from "./queue-accounts.ts";

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
