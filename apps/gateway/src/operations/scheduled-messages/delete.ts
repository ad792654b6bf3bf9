import { deleteScheduledMessage } from "@carillon/contract";
import { deleteScheduled } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(deleteScheduledMessage, async ({ tx, path, actor }) => {
  await deleteScheduled(tx, actor, path.scheduled_message_id);
});
