import { getMessageHistory } from "@carillon/contract";
import { messageHistory } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `GET /messages/{message_id}/history` (messages.md §6.3). */
export default handle.reads(getMessageHistory, async ({ snapshot, input, path, actor }) => ({
  message_history: await snapshot((sql) =>
    messageHistory(sql, actor, {
      id: path.message_id,
      allowEmptyTopicName: input.allow_empty_topic_name,
    }),
  ),
}));
