import { z } from "zod";
import { operation } from "../operation.ts";
import { reminderResource } from "./reminder-resource.ts";

/** `GET /reminders` (scheduled-messages.md §8). */
export const listReminders = operation({
  id: "list-reminders",
  method: "GET",
  path: "/api/v1/reminders",
  access: "account",
  summary: "List reminders",
  description:
    "The caller's reminders that have not been sent, failed ones included, in the order of their time.",
  result: { reminders: z.array(reminderResource) },
});
