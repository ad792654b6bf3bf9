import { z } from "zod";
import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** Which messages of a topic move with one of them. */
export const propagateModes = ["change_one", "change_later", "change_all"] as const;

export type PropagateMode = (typeof propagateModes)[number];

/** `PATCH /messages/{message_id}` (messages.md §6.2). */
export const updateMessage = operation({
  id: "update-message",
  method: "PATCH",
  path: "/api/v1/messages/{message_id}",
  access: "account",
  summary: "Change what a message says, or move it and others of its topic",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
    params: { content: "Hello again" },
  },
  description:
    "Only its sender edits the content, for ten minutes. Messages of channels are moved by whoever has the permission, " +
    "to another topic, another channel or both; a topic is resolved by moving all of it to the same name behind `✔ `.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  renders: "content",
  params: {
    content: form
      .text()
      .optional()
      .describe("Markdown; cut to `max_message_length`. Blank becomes `(deleted)`."),
    topic: form
      .text({ anyText: true })
      .optional()
      .alias("subject")
      .describe("Another topic; cut to `max_topic_length`."),
    stream_id: form.int().optional().describe("Another channel."),
    propagate_mode: form
      .oneOf(...propagateModes)
      .default("change_one")
      .describe("Which messages of the topic move: this one, this and later ones, or all."),
    send_notification_to_old_thread: form
      .bool()
      .default(false)
      .describe("Whether the notification bot tells of the move where the messages were."),
    send_notification_to_new_thread: form
      .bool()
      .default(true)
      .describe("Whether it tells of the move where they are by now."),
    prev_content_sha256: form
      .text()
      .optional()
      .describe("The hexadecimal SHA-256 of the content that is to be replaced."),
  },
  result: {
    detached_uploads: z
      .array(z.strictObject({}))
      .describe("Uploads that no message refers to any more. None are known yet."),
  },
  errors: [
    "EXPECTATION_MISMATCH",
    "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
  ],
});
