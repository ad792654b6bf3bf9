import { longestIdleTimeout, mobileIdleTimeout, needsOf, register } from "@carillon/contract";
import { registerQueue } from "@carillon/domain";

import { handle } from "../../handle.ts";

export default handle.inSteps(
  register,
  async ({ input, actor, client, services: { db, site } }) => {
    const timeout =
      input.idle_queue_timeout === "mobile" ? mobileIdleTimeout : input.idle_queue_timeout;
    return registerQueue(db, site, actor, {
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
  },
);
