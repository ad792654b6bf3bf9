import * as z from "zod";
import { emptyTopicIsNamed } from "./empty-topic.ts";
import { event } from "../primitives/event.ts";

const flags = z.array(z.string());

export const messageUpdated = event({
  type: "update_message",
  about: "The content, topic or channel of a message changed.",
  to: "some",
  receivers: "everyone who has the message, and subscribers who can read it",
  fields: {
    user_id: z.int().nullable(),
    message_id: z.int(),
    /** Ascending. */
    message_ids: z.array(z.int()),
    flags,
    edit_timestamp: z.int(),
    rendering_only: z.boolean(),
    stream_id: z.int().optional(),
    stream_name: z.string().optional(),
    orig_content: z.string().optional(),
    orig_rendered_content: z.string().optional(),
    content: z.string().optional(),
    rendered_content: z.string().optional(),
    is_me_message: z.boolean().optional(),
    orig_subject: z.string().optional(),
    propagate_mode: z.string().optional(),
    subject: z.string().optional(),
    topic_links: z.array(z.strictObject({ text: z.string(), url: z.string() })).optional(),
    new_stream_id: z.int().optional(),
  },
  own: { flags },
  older: emptyTopicIsNamed("subject", "orig_subject"),
});

const place = {
  message_type: z.enum(["stream", "private"]),
  /** Only for channel messages, like the topic. */
  stream_id: z.int().optional(),
  topic: z.string().optional(),
};

/**
 * Names at most 1,000 messages, because it becomes one event for each message for some clients, and the log reserves 1,024
 * event ids for it (events.md §6).
 */
export const messagesDeleted = event({
  type: "delete_message",
  about: "Messages were removed, or moved to where the receiver cannot see them.",
  to: "some",
  receivers: "accounts that could see the messages",
  fields: { message_ids: z.array(z.int()), ...place },
  older: {
    ...emptyTopicIsNamed("topic"),
    bulk_message_deletion: {
      about: "One event for each message, with `message_id`.",
      fields: { message_id: z.int(), ...place },
    },
  },
});

export const flagAdded = event({
  type: "update_message_flags",
  op: "add",
  about: "A flag was added to messages, by the account or by the server.",
  to: "some",
  receivers: "the account",
  fields: {
    operation: z.literal("add"),
    flag: z.string(),
    messages: z.array(z.int()),
    /** True only when all messages are marked read; `messages` is empty then. */
    all: z.boolean(),
  },
});

const detail = z.strictObject({
  type: z.enum(["stream", "private"]),
  stream_id: z.int().optional(),
  topic: z.string().optional(),
  user_ids: z.array(z.int()).optional(),
  mentioned: z.literal(true).optional(),
});

export const flagRemoved = event({
  type: "update_message_flags",
  op: "remove",
  about: "A flag was removed from messages.",
  to: "some",
  receivers: "the account",
  fields: {
    operation: z.literal("remove"),
    flag: z.string(),
    messages: z.array(z.int()),
    all: z.boolean(),
    /** Only for the flag `read`, by message id. */
    message_details: z.record(z.string(), detail).optional(),
  },
  older: emptyTopicIsNamed("message_details[].topic"),
});
