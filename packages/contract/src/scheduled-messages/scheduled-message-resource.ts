import { z } from "zod";

/** A scheduled message as clients see it (scheduled-messages.md §0.7). */
export const scheduledMessageResource = z.strictObject({
  scheduled_message_id: z.int(),
  type: z.enum(["stream", "private"]),
  /** The channel, or the other participants: oneself when alone. */
  to: z.union([z.int(), z.array(z.int())]),
  /** Only of channel messages. */
  topic: z.string().optional(),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean(),
});

export type ScheduledMessageResource = z.input<typeof scheduledMessageResource>;
