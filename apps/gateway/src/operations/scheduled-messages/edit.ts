import { editScheduledMessage as operation } from "@carillon/contract";
import { editScheduled } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { clientOf } from "../../services.ts";

export default handle.inSteps(operation, async ({ input, path, actor, client, services }) => {
  const { db, site } = services;
  const sendingClient = await clientOf(services, actor, client);
  await db.transaction((tx) =>
    editScheduled(tx, site, actor, sendingClient, path.scheduled_message_id, {
      type: input.type,
      to: input.to,
      content: input.content,
      topic: input.topic,
      deliverAt: input.scheduled_delivery_timestamp,
    }),
  );
});
