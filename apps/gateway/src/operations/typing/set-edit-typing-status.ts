import { setEditTypingStatus } from "@carillon/contract";
import { tellEditing } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(setEditTypingStatus, async ({ tx, input, path, actor }) => {
  await tellEditing(tx, actor, { op: input.op, messageId: path.message_id });
});
