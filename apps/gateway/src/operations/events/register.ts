import { longestIdleTimeout, mobileIdleTimeout, needsOf, register } from "@carillon/contract";
import { PagedList } from "@carillon/db";
import { registerQueue } from "@carillon/domain";

import { handle } from "../../handle.ts";
import { inPages } from "../../http/pages.ts";

export default handle.inSteps(
  register,
  async ({ input, actor, client, services: { db, site } }) => {
    const timeout =
      input.idle_queue_timeout === "mobile" ? mobileIdleTimeout : input.idle_queue_timeout;
    const registration = await registerQueue(db, site, actor, {
      eventTypes: input.event_types,
      fetchEventTypes: input.fetch_event_types,
      clientCapabilities: input.client_capabilities,
      needs: needsOf(client),
      applyMarkdown: input.apply_markdown,
      clientGravatar: input.client_gravatar,
      slimPresence: input.slim_presence,
      presenceHistoryLimit: input.presence_history_limit_days,
      includeSubscribers: input.include_subscribers,
      allPublicChannels: input.all_public_streams,
      narrow: input.narrow ?? [],
      idleTimeout: Math.min(timeout, longestIdleTimeout),
    });
    // Lists of the account's own texts that are too large to lie in memory as a whole.
    for (const [name, value] of Object.entries(registration) as Array<[string, unknown]>)
      if (value instanceof PagedList) Object.assign(registration, { [name]: inPages(value, db) });
    return registration;
  },
);
