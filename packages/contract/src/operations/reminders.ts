import * as z from "zod";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { deliveryTimestamp } from "./scheduled-messages.ts";

/** A reminder as clients see it (scheduled-messages.md §8). */
export const reminderResource = z.strictObject({
  reminder_id: z.int(),
  type: z.literal("private"),
  /** The account itself. */
  to: z.array(z.int()),
  /** The text of the reminder, as of its creation. */
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean(),
  /** The message that it is about, which may be deleted. */
  reminder_target_message_id: z.int(),
});

export type ReminderResource = z.input<typeof reminderResource>;

/** `GET /reminders` (scheduled-messages.md §8). */
export const listReminders = operation({
  id: "list-reminders",
  method: "GET",
  path: "/api/v1/reminders",
  access: "account",
  summary: "List reminders",
  description:
    "The caller's reminders that have not been sent, including failed ones, in order of their time.",
  result: { reminders: z.array(reminderResource) },
});

/** `POST /reminders` (scheduled-messages.md §8). */
export const createReminder = operation({
  id: "create-reminder",
  method: "POST",
  path: "/api/v1/reminders",
  access: "account",
  idempotencyKey: true,
  summary: "Create a reminder of a message",
  example: { params: { note: "Answer this" } },
  description:
    "The notification bot will send the caller a direct message with a link to the message and its text at that time.",
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

/** `DELETE /reminders/{reminder_id}` (scheduled-messages.md §8). */
export const deleteReminder = operation({
  id: "delete-reminder",
  method: "DELETE",
  path: "/api/v1/reminders/{reminder_id}",
  pathParams: { reminder_id: path.int({ max: maxLongId }) },
  access: "account",
  idempotencyKey: true,
  summary: "Delete a reminder",
  example: {
    made: { REMINDER_ID: ["create-reminder", "reminder_id"] },
    path: { reminder_id: "$REMINDER_ID" },
  },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});
