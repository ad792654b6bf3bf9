import * as contract from "@carillon/contract";
import { PagedList } from "@carillon/db";
import { registerQueue } from "@carillon/domain";
import { deleteQueue } from "@carillon/events";
import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";
import { shownIntegrations } from "../webhooks/shown-integrations.ts";

export default [
  handle.inSteps(contract.register, async ({ input, actor, client, services: { db, site } }) => {
    const timeout =
      input.idle_queue_timeout === "mobile" ? contract.mobileIdleTimeout : input.idle_queue_timeout;
    const registration = await registerQueue(db, site, actor, {
      eventTypes: input.event_types,
      fetchEventTypes: input.fetch_event_types,
      clientCapabilities: input.client_capabilities,
      needs: contract.needsOf(client),
      applyMarkdown: input.apply_markdown,
      clientGravatar: input.client_gravatar,
      slimPresence: input.slim_presence,
      presenceHistoryLimit: input.presence_history_limit_days,
      includeSubscribers: input.include_subscribers,
      allPublicChannels: input.all_public_streams,
      narrow: input.narrow ?? [],
      idleTimeout: Math.min(timeout, contract.maxIdleTimeout),
      webhookIntegrations: shownIntegrations,
    });
    // Lists of the account's own texts may be too large for memory.
    for (const [name, value] of Object.entries(registration) as Array<[string, unknown]>)
      if (value instanceof PagedList) Object.assign(registration, { [name]: inPages(value, db) });
    return registration;
  }),

  handle.inSteps(
    contract.getEvents,
    async ({ input, actor, client, deadline, services: { events } }) => {
      const { queue_id: queueId, last_event_id: lastEventId } = input;
      const block = !input.dont_block;
      const { id: userId, keyDigest } = actor;
      const result = await events.poll({
        userId,
        keyDigest,
        queueId,
        lastEventId,
        block,
        deadline,
      });
      switch (result.kind) {
        case "events":
          return { queue_id: queueId, events: [...result.events] };
        case "future":
          throw contract.errors.badRequest(`The queue has no event ${lastEventId} yet`);
        case "refused":
          throw contract.errors.unauthorized();
        case "queueDeleted":
          throw contract.errors.badEventQueueId(queueId, contract.needsOf(client));
      }
    },
  ),

  handle.changes(contract.deleteEventQueue, async ({ tx, input, actor, client }) => {
    const deleted = await deleteQueue(tx, actor.id, input.queue_id);
    if (!deleted) throw contract.errors.badEventQueueId(input.queue_id, contract.needsOf(client));
  }),
];
