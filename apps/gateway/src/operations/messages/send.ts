import { sendMessage } from "@carillon/contract";
import { sendNow } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { clientOf } from "../../services.ts";

export default handle.inSteps(sendMessage, async ({ input, actor, client, services }) => {
  const sendingClient = await clientOf(services, actor, client);
  const sent = await sendNow(services, actor, sendingClient, {
    type: input.type,
    to: input.to,
    topic: input.topic,
    content: input.content,
    readBySender: input.read_by_sender,
    queueId: input.queue_id,
    localId: input.local_id,
  });
  return sent.newVisibilityPolicy === undefined
    ? { id: sent.id }
    : { id: sent.id, automatic_new_visibility_policy: sent.newVisibilityPolicy };
});
