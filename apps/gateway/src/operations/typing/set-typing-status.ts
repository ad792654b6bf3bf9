import { setTypingStatus } from "@carillon/contract";
import { tellTyping } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(setTypingStatus, async ({ input, actor, services: { db, site } }) => {
  await db.transaction((tx) =>
    tellTyping(tx, site, actor, {
      op: input.op,
      type: input.type,
      to: input.to,
      channelId: input.stream_id,
      topic: input.topic,
    }),
  );
});
