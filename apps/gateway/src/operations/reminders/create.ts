import { createReminder as operation } from "@carillon/contract";
import { createReminder } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { clientOf } from "../../services.ts";

export default handle.inSteps(operation, async ({ input, actor, client, requestId, services }) => {
  const { db, site } = services;
  const sendingClient = await clientOf(services, actor, client);
  const id = await db.transaction((tx) =>
    createReminder(tx, site, actor, sendingClient, {
      messageId: input.message_id,
      deliverAt: input.scheduled_delivery_timestamp,
      note: input.note,
      requestId,
    }),
  );
  return { reminder_id: id };
});
