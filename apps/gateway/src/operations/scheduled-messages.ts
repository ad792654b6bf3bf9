import * as contract from "@carillon/contract";
import {
  checkIn,
  deleteScheduled,
  editScheduled,
  listConditions,
  listFailures,
  listScheduled,
  listWithheld,
  scheduledListing,
  type ScheduleRequest,
  scheduleBatch,
} from "@carillon/domain";
import type { BatchHandler } from "../group-commit/batch-handler.ts";
import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";
import { clientOf } from "../services.ts";

const handler: BatchHandler<ScheduleRequest, number> = {
  write: scheduleBatch,
  weigh: ({ input }) => input.content.length,
};

export default [
  // Sent in pages: ten thousand messages of 10 KB would take 200 MB of a gateway's memory for each request.
  handle.reads(contract.listScheduledMessages, async ({ sql, snapshot, actor }) => {
    const list = await snapshot((tx) => listScheduled(tx, scheduledListing, actor.id));
    return { scheduled_messages: inPages(list, sql) };
  }),

  handle.batched(
    contract.createScheduledMessage,
    handler,
    async ({ input, actor, client, requestId, services, write }) =>
      write({
        actor,
        client: await clientOf(services, actor, client),
        requestId,
        input: {
          type: input.type,
          to: input.to,
          content: input.content,
          topic: input.topic,
          deliverAt: input.scheduled_delivery_timestamp,
          readBySender: input.read_by_sender,
          unless: input.unless,
        },
      }),
    (id) => ({ scheduled_message_id: id }),
  ),

  handle.prepared(
    contract.editScheduledMessage,
    async ({ db, input, path, actor, client, services }) => {
      const { site } = services;
      const sendingClient = await clientOf(services, actor, client);
      await db.transaction((tx) =>
        editScheduled(tx, site, actor, sendingClient, path.scheduled_message_id, {
          type: input.type,
          to: input.to,
          content: input.content,
          topic: input.topic,
          deliverAt: input.scheduled_delivery_timestamp,
          unless: input.unless,
        }),
      );
    },
    () => ({}),
  ),

  handle.reads(contract.listWithheldMessages, async ({ sql, snapshot, actor }) => {
    const list = await snapshot((tx) => listWithheld(tx, actor.id));
    return { withheld_messages: inPages(list, sql) };
  }),

  handle.reads(contract.listConditions, async ({ sql, snapshot, actor }) => {
    const list = await snapshot((tx) => listConditions(tx, actor.id));
    return { conditions: inPages(list, sql) };
  }),

  handle.reads(contract.listFailures, async ({ sql, snapshot, actor }) => {
    const list = await snapshot((tx) => listFailures(tx, actor.id));
    return { failures: inPages(list, sql) };
  }),

  handle.changes(contract.checkInAtScheduledMessage, async ({ tx, path, actor }) => ({
    scheduled_delivery_timestamp: await checkIn(tx, actor, path.scheduled_message_id),
  })),

  handle.changes(contract.deleteScheduledMessage, async ({ tx, path, actor, services }) => {
    await deleteScheduled(tx, services.site, actor, path.scheduled_message_id);
  }),
];
