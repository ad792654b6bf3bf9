import { deleteTopic as operation } from "@carillon/contract";
import { deleteTopic } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(operation, async ({ input, path, actor, services: { db } }) => ({
  complete: await deleteTopic(db, actor, { channelId: path.stream_id, topic: input.topic_name }),
}));
