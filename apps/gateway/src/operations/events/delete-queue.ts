import { deleteEventQueue, errors, needsOf } from "@carillon/contract";
import { deleteQueue } from "@carillon/events";

import { handle } from "../../handle.ts";

export default handle.changes(deleteEventQueue, async ({ tx, input, actor, client }) => {
  const deleted = await deleteQueue(tx, actor.id, input.queue_id);
  if (!deleted) throw errors.badEventQueueId(input.queue_id, needsOf(client));
});
