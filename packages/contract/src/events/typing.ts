import * as z from "zod";
import { emptyTopicIsNamed } from "./empty-topic.ts";
import { event } from "../primitives/event.ts";

const person = z.strictObject({ user_id: z.int(), email: z.string() });

const fields = [
  /** `recipients` includes the sender. */
  { message_type: z.literal("direct"), sender: person, recipients: z.array(person) },
  { message_type: z.literal("stream"), sender: person, stream_id: z.int(), topic: z.string() },
] as const;

const older = {
  ...emptyTopicIsNamed("topic"),
  stream_typing_notifications: { about: "Not sent for channels." },
};

export const typingStarted = event({
  type: "typing",
  op: "start",
  about: "A user is typing a message.",
  to: "some",
  receivers:
    "participants including the sender, or subscribers of a channel, who have `receives_typing_notifications` on",
  fields,
  older,
});

export const typingStopped = event({
  type: "typing",
  op: "stop",
  about: "A user has stopped typing.",
  to: "some",
  receivers: "as `start`",
  fields,
  older,
});
