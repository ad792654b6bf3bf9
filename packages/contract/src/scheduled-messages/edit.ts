import { form } from "../form.ts";
import { operation } from "../operation.ts";
import {
  deliveryTimestamp,
  messageTypes,
  scheduledMessageId,
  scheduledTo,
  sendingErrors,
  topicParameter,
} from "./parameters.ts";

/** `PATCH /scheduled_messages/{scheduled_message_id}` (scheduled-messages.md §2). */
export const editScheduledMessage = operation({
  id: "edit-scheduled-message",
  method: "PATCH",
  path: "/api/v1/scheduled_messages/{scheduled_message_id}",
  pathParams: { scheduled_message_id: scheduledMessageId },
  access: "account",
  summary: "Edit a scheduled message",
  example: {
    made: { SCHEDULED_MESSAGE_ID: ["create-scheduled-message", "scheduled_message_id"] },
    path: { scheduled_message_id: "$SCHEDULED_MESSAGE_ID" },
    params: { content: "Sent later, once.", scheduled_delivery_timestamp: 4_102_448_400 },
  },
  description:
    "What is not given keeps its value. A message that could not be sent comes back to life with a new time.",
  params: {
    type: messageTypes.optional(),
    to: scheduledTo.optional(),
    content: form.text().optional(),
    topic: topicParameter,
    scheduled_delivery_timestamp: deliveryTimestamp.optional(),
  },
  missingIs404: true,
  errors: sendingErrors,
});
