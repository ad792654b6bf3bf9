import { z } from "zod";
import { operation } from "../operation.ts";

/** A scheduled message as clients see it (scheduled-messages.md §0.7). */
const scheduledMessageResource = z.strictObject({
  scheduled_message_id: z.int(),
  type: z.enum(["stream", "private"]),
  to: z.union([z.int(), z.array(z.int())]),
  topic: z.string().optional(),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean(),
});

/** `GET /scheduled_messages` (scheduled-messages.md §3). */
export const listScheduledMessages = operation({
  id: "list-scheduled-messages",
  method: "GET",
  path: "/api/v1/scheduled_messages",
  access: "account",
  summary: "List scheduled messages",
  description:
    "The caller's undelivered messages, failed ones included, in the order of their time.",
  result: { scheduled_messages: z.array(scheduledMessageResource) },
});
