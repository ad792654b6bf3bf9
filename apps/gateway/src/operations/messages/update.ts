import { updateMessage } from "@carillon/contract";
import { changeMessage } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(updateMessage, async ({ input, path, actor, services }) => {
  await changeMessage(services, actor, path.message_id, {
    content: input.content,
    topic: input.topic,
    channelId: input.stream_id,
    propagateMode: input.propagate_mode,
    tellOld: input.send_notification_to_old_thread,
    tellNew: input.send_notification_to_new_thread,
    previousHash: input.prev_content_sha256,
  });
  return { detached_uploads: [] };
});
