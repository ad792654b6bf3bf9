import { markChannelRead } from "@carillon/contract";
import { markAsRead } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /mark_stream_as_read` (messages.md §7). */
export default handle.inSteps(markChannelRead, async ({ input, actor, services: { db } }) => ({
  complete: await markAsRead(db, actor, { channelId: input.stream_id }),
}));
