import { createScheduledMessage as operation } from "@carillon/contract";
import { scheduleMessage } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { clientOf } from "../../services.ts";

export default handle.inSteps(operation, async ({ input, actor, client, services }) => {
  const { db, site } = services;
  const sendingClient = await clientOf(services, actor, client);
  const id = await db.transaction((tx) =>
    scheduleMessage(tx, site, actor, sendingClient, {
      type: input.type,
      to: input.to,
      content: input.content,
      topic: input.topic,
      deliverAt: input.scheduled_delivery_timestamp,
      readBySender: input.read_by_sender,
    }),
  );
  return { scheduled_message_id: id };
});
