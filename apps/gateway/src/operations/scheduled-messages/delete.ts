import { deleteScheduledMessage } from "@carillon/contract";
import { deleteScheduled } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(deleteScheduledMessage, async ({ path, actor, services }) => {
  await services.db.transaction((tx) => deleteScheduled(tx, actor, path.scheduled_message_id));
});
