import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import {
  deliveryTimestamp,
  messageTypes,
  scheduledTo,
  sendingErrors,
  topicParameter,
} from "./parameters.ts";

/** `POST /scheduled_messages` (scheduled-messages.md §1). */
export const createScheduledMessage = operation({
  id: "create-scheduled-message",
  method: "POST",
  path: "/api/v1/scheduled_messages",
  access: "account",
  summary: "Schedule a message",
  example: { params: { type: "channel", to: 1, topic: "hello", content: "Sent on time, once." } },
  description:
    "The message is checked as if it were sent now, and again when it is due. Until then it is nobody's message.",
  params: {
    type: messageTypes,
    to: scheduledTo,
    content: form.text().describe("Markdown; cut to `max_message_length`."),
    topic: topicParameter.describe(
      "Required for channel messages, ignored for direct ones; cut to `max_topic_length`.",
    ),
    scheduled_delivery_timestamp: deliveryTimestamp,
    read_by_sender: form
      .bool()
      .optional()
      .describe(
        "Whether the sender's own copy counts as read; guessed from the client unless given.",
      ),
  },
  result: { scheduled_message_id: z.int() },
  errors: sendingErrors,
});
