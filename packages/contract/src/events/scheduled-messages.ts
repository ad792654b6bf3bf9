import * as z from "zod";
import { scheduledMessageResource } from "../operations/scheduled-messages.ts";
import { event } from "../primitives/event.ts";

export const scheduledMessagesAdded = event({
  type: "scheduled_messages",
  op: "add",
  about: "Messages are scheduled.",
  to: "some",
  receivers: "the sender",
  fields: { scheduled_messages: z.array(scheduledMessageResource) },
  snapshot: { list: "scheduled_messages", by: "scheduled_message_id", adds: "scheduled_messages" },
});

export const scheduledMessageUpdated = event({
  type: "scheduled_messages",
  op: "update",
  about: "A scheduled message changed, or could not be sent.",
  to: "some",
  receivers: "the sender",
  fields: { scheduled_message: scheduledMessageResource },
  snapshot: {
    list: "scheduled_messages",
    by: "scheduled_message_id",
    replaces: "scheduled_message",
  },
});

export const scheduledMessageRemoved = event({
  type: "scheduled_messages",
  op: "remove",
  about: "A scheduled message was sent, or deleted.",
  to: "some",
  receivers: "the sender",
  fields: { scheduled_message_id: z.int() },
  snapshot: {
    list: "scheduled_messages",
    by: "scheduled_message_id",
    removes: "scheduled_message_id",
  },
});
