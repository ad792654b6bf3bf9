import { z } from "zod";

/** A reminder as clients see it (scheduled-messages.md §8). */
export const reminderResource = z.strictObject({
  reminder_id: z.int(),
  type: z.literal("private"),
  /** The account itself. */
  to: z.array(z.int()),
  /** What it would say if it were sent by now, as far as was known when it was made. */
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean(),
  /** The message that it is about, which may be gone. */
  reminder_target_message_id: z.int(),
});

export type ReminderResource = z.input<typeof reminderResource>;
