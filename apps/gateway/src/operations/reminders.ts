import * as contract from "@carillon/contract";
import { createReminder, deleteReminder, listScheduled, reminderListing } from "@carillon/domain";
import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";
import { clientOf } from "../services.ts";

export default [
  // Sent in pages, like scheduled messages.
  handle.reads(contract.listReminders, async ({ sql, snapshot, actor }) => {
    const list = await snapshot((tx) => listScheduled(tx, reminderListing, actor.id));
    return { reminders: inPages(list, sql) };
  }),

  handle.prepared(
    contract.createReminder,
    async ({ db, input, actor, client, requestId, services }) => {
      const { site } = services;
      const sendingClient = await clientOf(services, actor, client);
      return db.transaction((tx) =>
        createReminder(tx, site, actor, sendingClient, {
          messageId: input.message_id,
          deliverAt: input.scheduled_delivery_timestamp,
          note: input.note,
          requestId,
        }),
      );
    },
    (id: number) => ({ reminder_id: id }),
  ),

  handle.changes(contract.deleteReminder, async ({ tx, path, actor }) => {
    await deleteReminder(tx, actor, path.reminder_id);
  }),
];
