import { z } from "zod";
import { reminderResource } from "../operations/reminders.ts";
import { event } from "./event.ts";

export const remindersAdded = event({
  type: "reminders",
  op: "add",
  about: "The account is to be reminded of messages.",
  to: "some",
  receivers: "the account",
  fields: { reminders: z.array(reminderResource) },
});

export const reminderRemoved = event({
  type: "reminders",
  op: "remove",
  about: "A reminder is sent, or deleted before that.",
  to: "some",
  receivers: "the account",
  fields: { reminder_id: z.int() },
});
