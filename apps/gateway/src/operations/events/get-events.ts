import { errors, getEvents, needsOf } from "@carillon/contract";

import { handle } from "../../handle.ts";

export default handle.inSteps(
  getEvents,
  async ({ input, actor, client, lifetime, services: { events } }) => {
    const { queue_id: queueId, last_event_id: lastEventId } = input;
    const block = !input.dont_block;
    const { id: userId, keyDigest } = actor;
    const result = await events.poll({ userId, keyDigest, queueId, lastEventId, block, lifetime });
    switch (result.kind) {
      case "events":
        return { queue_id: queueId, events: [...result.events] };
      case "future":
        throw errors.badRequest(`The queue has no event ${lastEventId} yet`);
      case "refused":
        throw errors.unauthorized();
      case "gone":
        throw errors.badEventQueueId(queueId, needsOf(client));
    }
  },
);
