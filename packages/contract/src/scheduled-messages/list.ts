import { z } from "zod";
import { operation } from "../operation.ts";
import { scheduledMessageResource } from "./scheduled-message-resource.ts";

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
