import { matchNarrow } from "@carillon/contract";
import { matchMessages } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `GET /messages/matches_narrow` (messages.md §7). */
export default handle.reads(matchNarrow, async ({ snapshot, input, actor }) => ({
  messages: await snapshot((sql) =>
    matchMessages(sql, actor, { ids: input.msg_ids, narrow: input.narrow }),
  ),
}));
