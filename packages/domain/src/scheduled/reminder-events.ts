import {
  type NewEvent,
  type ReminderResource,
  reminderRemoved,
  remindersAdded,
} from "@carillon/contract";

import type { ScheduledRow } from "./row.ts";

/** Returns a reminder as clients see it (scheduled-messages.md §8). */
export function presentReminder(row: ScheduledRow): ReminderResource {
  return {
    reminder_id: row.id,
    type: "private",
    to: [row.senderId],
    content: row.content,
    rendered_content: row.renderedContent,
    scheduled_delivery_timestamp: row.deliverAt,
    failed: row.failed,
    reminder_target_message_id: row.targetId ?? 0,
  };
}

/** Events of reminders, for their account only. */
export const reminderEvents = {
  add: (row: ScheduledRow): NewEvent =>
    remindersAdded({ reminders: [presentReminder(row)] }, { audience: [row.senderId] }),
  remove: ({ id, senderId }: Pick<ScheduledRow, "id" | "senderId">): NewEvent =>
    reminderRemoved({ reminder_id: id }, { audience: [senderId] }),
};
