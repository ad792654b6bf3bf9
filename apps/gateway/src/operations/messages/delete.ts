import { deleteMessage as operation } from "@carillon/contract";
import { deleteMessage } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `DELETE /messages/{message_id}` (messages.md §6.4). */
export default handle.inSteps(operation, async ({ path, actor, services: { db } }) => {
  await deleteMessage(db, actor, path.message_id);
});
