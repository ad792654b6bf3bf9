import { addSubmessage as operation } from "@carillon/contract";
import { addSubmessage } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /submessage` (messages.md §6.6). */
export default handle.changes(operation, async ({ tx, input, actor }) => {
  const { message_id: messageId, msg_type: type, content } = input;
  await addSubmessage(tx, actor, { messageId, type, content });
});
