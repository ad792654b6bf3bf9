import * as z from "zod";
import { reminderResource } from "../operations/reminders.ts";
import { event } from "../primitives/event.ts";

export const remindersAdded = event({
  type: "reminders",
  op: "add",
  about: "The account has created reminders.",
  to: "some",
  receivers: "the account",
  fields: { reminders: z.array(reminderResource) },
  snapshot: { list: "reminders", by: "reminder_id", adds: "reminders" },
});

export const reminderRemoved = event({
  type: "reminders",
  op: "remove",
  about: "A reminder was sent, or deleted.",
  to: "some",
  receivers: "the account",
  fields: { reminder_id: z.int() },
  snapshot: { list: "reminders", by: "reminder_id", removes: "reminder_id" },
});
