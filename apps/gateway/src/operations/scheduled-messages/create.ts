import { createScheduledMessage as operation } from "@carillon/contract";
import { scheduleTogether, type ScheduleRequest } from "@carillon/domain";
import type { Batch } from "../../group-commit/batch.ts";
import { handle } from "../../handle.ts";
import { clientOf } from "../../services.ts";

const batch: Batch<ScheduleRequest, number> = {
  write: scheduleTogether,
  weigh: ({ input }) => input.content.length,
};

export default handle.batched(
  operation,
  batch,
  async ({ input, actor, client, requestId, services, write }) => {
    const id = await write({
      actor,
      client: await clientOf(services, actor, client),
      requestId,
      input: {
        type: input.type,
        to: input.to,
        content: input.content,
        topic: input.topic,
        deliverAt: input.scheduled_delivery_timestamp,
        readBySender: input.read_by_sender,
      },
    });
    return { scheduled_message_id: id };
  },
);
