import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { deliveryTimestamp } from "../scheduled-messages/parameters.ts";

/** `POST /reminders` (scheduled-messages.md §8). */
export const createReminder = operation({
  id: "create-reminder",
  method: "POST",
  path: "/api/v1/reminders",
  access: "account",
  summary: "Be reminded of a message",
  example: { params: { note: "Answer this" } },
  description:
    "The notification bot will write to the caller, with a link to the message and its text as it is by then.",
  params: {
    message_id: form.int().describe("A message that the caller may see."),
    scheduled_delivery_timestamp: deliveryTimestamp,
    note: form
      .text()
      .optional()
      .describe("Markdown, shown with the reminder; at most `max_reminder_note_length`."),
  },
  result: { reminder_id: z.int() },
});
