import { operation } from "../operation.ts";
import { scheduledMessageId } from "./parameters.ts";

/** `DELETE /scheduled_messages/{scheduled_message_id}` (scheduled-messages.md §4). */
export const deleteScheduledMessage = operation({
  id: "delete-scheduled-message",
  method: "DELETE",
  path: "/api/v1/scheduled_messages/{scheduled_message_id}",
  pathParams: { scheduled_message_id: scheduledMessageId },
  access: "account",
  summary: "Delete a scheduled message",
  example: {
    made: { SCHEDULED_MESSAGE_ID: ["create-scheduled-message", "scheduled_message_id"] },
    path: { scheduled_message_id: "$SCHEDULED_MESSAGE_ID" },
  },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});
