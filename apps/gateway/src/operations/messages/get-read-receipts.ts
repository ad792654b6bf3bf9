import { getReadReceipts } from "@carillon/contract";
import { readReceipts } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `GET /messages/{message_id}/read_receipts` (messages.md §6.6). */
export default handle.reads(getReadReceipts, async ({ snapshot, path, actor }) => ({
  user_ids: await snapshot((sql) => readReceipts(sql, actor, path.message_id)),
}));
