import { deleteReminder as operation } from "@carillon/contract";
import { deleteReminder } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, actor }) => {
  await deleteReminder(tx, actor, path.reminder_id);
});
