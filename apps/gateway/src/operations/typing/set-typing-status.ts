import { setTypingStatus } from "@carillon/contract";
import { tellTyping } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(setTypingStatus, async ({ tx, input, actor, services: { site } }) => {
  await tellTyping(tx, site, actor, {
    op: input.op,
    type: input.type,
    to: input.to,
    channelId: input.stream_id,
    topic: input.topic,
  });
});
