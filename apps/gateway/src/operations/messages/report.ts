import { reportMessage as operation } from "@carillon/contract";
import { reportMessage } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /messages/{message_id}/report` (clients.md §4). */
export default handle.reads(operation, ({ sql, input, path, actor }) => {
  const { report_type: type, description } = input;
  return reportMessage(sql, actor, { messageId: path.message_id, type, description });
});
