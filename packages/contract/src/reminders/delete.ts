import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /reminders/{reminder_id}` (scheduled-messages.md §8). */
export const deleteReminder = operation({
  id: "delete-reminder",
  method: "DELETE",
  path: "/api/v1/reminders/{reminder_id}",
  pathParams: { reminder_id: path.int({ max: maxLongId }) },
  access: "account",
  summary: "Delete a reminder",
  example: {
    made: { REMINDER_ID: ["create-reminder", "reminder_id"] },
    path: { reminder_id: "$REMINDER_ID" },
  },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});
