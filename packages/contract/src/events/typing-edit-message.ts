import * as z from "zod";
import { emptyTopicIsNamed } from "./empty-topic.ts";
import { event } from "../primitives/event.ts";

const fields = {
  sender_id: z.int(),
  message_id: z.int(),
  /** `user_ids` are all participants, including the sender. */
  recipient: z.union([
    z.strictObject({ type: z.literal("channel"), channel_id: z.int(), topic: z.string() }),
    z.strictObject({ type: z.literal("direct"), user_ids: z.array(z.int()) }),
  ]),
};

const older = emptyTopicIsNamed("recipient.topic");

export const editingStarted = event({
  type: "typing_edit_message",
  op: "start",
  about: "A user is editing a message.",
  to: "some",
  receivers:
    "as `typing`: participants including the sender, or subscribers of the channel, who have typing notifications on; with protected history only accounts that received the message",
  fields,
  older,
});

export const editingStopped = event({
  type: "typing_edit_message",
  op: "stop",
  about: "A user has stopped editing a message.",
  to: "some",
  receivers: "as `start`",
  fields,
  older,
});
