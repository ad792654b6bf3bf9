import { deleteEventQueue, errors } from "@carillon/contract";
import { deleteQueue } from "@carillon/events";

import { handle } from "../../services.ts";

export default handle(deleteEventQueue, async ({ input, actor, services: { db } }) => {
  const deleted = await db.transaction((tx) => deleteQueue(tx, actor.id, input.queue_id));
  if (!deleted) throw errors.badEventQueueId(input.queue_id);
});
