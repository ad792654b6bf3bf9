import { markTopicRead } from "@carillon/contract";
import { markAsRead } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /mark_topic_as_read` (messages.md §7). */
export default handle.inSteps(markTopicRead, async ({ input, actor, services: { db } }) => {
  const named = { channelId: input.stream_id, topic: input.topic_name };
  return { complete: await markAsRead(db, actor, named) };
});
