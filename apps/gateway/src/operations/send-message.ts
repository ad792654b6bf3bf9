import * as contract from "@carillon/contract";
import { sendNow, type SendRequest, sendOrEditBatch, type SentMessage } from "@carillon/domain";
import type { BatchHandler } from "../group-commit/batch-handler.ts";
import { handle } from "../handle.ts";
import { clientOf } from "../services.ts";

const handler: BatchHandler<SendRequest, SentMessage> = {
  write: sendOrEditBatch,
  weigh: ({ input }) => input.content.length + (input.widget?.length ?? 0),
};

export default handle.batched(
  contract.sendMessage,
  handler,
  async ({ input, actor, client, services, write }) => {
    const { upsert_key: key, upsert_version: version } = input;
    if (version !== undefined && key === undefined)
      throw contract.errors.badRequest("upsert_version needs upsert_key");
    const sendingClient = await clientOf(services, actor, client);
    return sendNow({ ...services, write }, actor, sendingClient, {
      type: input.type,
      to: input.to,
      topic: input.topic,
      content: input.content,
      widget: input.widget_content && JSON.stringify(input.widget_content),
      readBySender: input.read_by_sender,
      queueId: input.queue_id,
      localId: input.local_id,
      upsert: key === undefined ? undefined : { key, version },
    });
  },
  ({ id, newVisibilityPolicy, upsertResult }) => ({
    id,
    ...(newVisibilityPolicy === undefined
      ? {}
      : { automatic_new_visibility_policy: newVisibilityPolicy }),
    ...(upsertResult === undefined ? {} : { upsert_result: upsertResult }),
  }),
);
