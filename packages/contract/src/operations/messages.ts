import * as z from "zod";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { attachmentShape } from "./attachments.ts";
import { messageResource } from "./message-resource.ts";
import { narrowParameter } from "./narrow.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";

/** Reasons for reporting a message (`server_report_message_types`). */
export const reportTypes = [
  { key: "spam", name: "Spam" },
  { key: "harassment", name: "Harassment" },
  { key: "inappropriate", name: "Inappropriate content" },
  { key: "norms", name: "Breaks the rules of the organization" },
  { key: "other", name: "Something else" },
] as const;

/** `GET /messages/{message_id}` (messages.md §6.1). */
export const getMessage = operation({
  id: "get-message",
  method: "GET",
  path: "/api/v1/messages/{message_id}",
  access: "account",
  summary: "Get a message",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, path: { message_id: "$MESSAGE_ID" } },
  description: "As in `GET /messages`, even if the caller has not received the message.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    apply_markdown: form
      .bool()
      .default(true)
      .describe("Whether `content` is HTML or the Markdown source."),
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe(
        "Whether the empty topic is sent as an empty string or as the organization's display name for it.",
      ),
  },
  result: {
    message: messageResource,
    raw_content: z.string().describe("Deprecated: the Markdown source."),
  },
});

/** `GET /messages/matches_narrow` (messages.md §7). */
export const matchNarrow = operation({
  id: "match-narrow",
  method: "GET",
  path: "/api/v1/messages/matches_narrow",
  access: "account",
  summary: "Check if messages match a narrow",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    params: { msg_ids: "[$MESSAGE_ID]", narrow: [{ operator: "topic", operand: "hello" }] },
  },
  description:
    "Returns which of the given messages in the caller's own history match. At most 5000 messages in one request.",
  params: {
    msg_ids: form.json(z.array(shape.longId)).describe("The IDs of the messages."),
    narrow: narrowParameter.describe(
      "Terms that must all match: objects with `operator`, `operand` and `negated`, or pairs of strings.",
    ),
  },
  result: {
    messages: z
      .record(z.string(), z.strictObject({ match_content: z.string(), match_subject: z.string() }))
      .describe("The matching messages by ID, with content and topic as HTML."),
  },
  errors: ["BAD_NARROW"],
});

/** A message after one of its changes; the first is the message as it was sent. */
const moment = z.strictObject({
  timestamp: z.number(),
  user_id: z.number().nullable(),
  topic: z.string(),
  content: z.string(),
  rendered_content: z.string(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  content_html_diff: z.string().optional(),
  prev_topic: z.string().optional(),
  prev_stream: z.number().optional(),
  stream: z.number().optional(),
});

export type HistoryMoment = z.input<typeof moment>;

/** `GET /messages/{message_id}/history` (messages.md §6.3). */
export const getMessageHistory = operation({
  id: "get-message-history",
  method: "GET",
  path: "/api/v1/messages/{message_id}/history",
  access: "account",
  summary: "Get a message's edit history",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, path: { message_id: "$MESSAGE_ID" } },
  description:
    "Oldest entry first: the original message, then each change, as far as the organization's settings show them.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe(
        "Whether the empty topic is sent as an empty string or as the organization's display name for it.",
      ),
  },
  result: { message_history: z.array(moment) },
});

/** `GET /messages/{message_id}/read_receipts` (messages.md §6.6). */
export const getReadReceipts = operation({
  id: "get-read-receipts",
  method: "GET",
  path: "/api/v1/messages/{message_id}/read_receipts",
  access: "account",
  summary: "Get who has read a message",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, path: { message_id: "$MESSAGE_ID" } },
  description:
    "Active accounts with `send_read_receipts` on, except the sender, accounts that have muted the caller, and accounts that the caller has muted.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  result: { user_ids: z.array(z.int()).describe("Ascending.") },
});

/** `POST /messages/render` (scheduled-messages.md §7). */
export const renderMessageText = operation({
  id: "render-message",
  method: "POST",
  path: "/api/v1/messages/render",
  access: "account",
  summary: "Render Markdown",
  description:
    "Renders the text as a message of the caller, and stores nothing. Refuses a text longer than a message may be.",
  renders: "content",
  params: { content: form.text() },
  result: { rendered: z.string() },
});

/** Which messages of a topic move with one of them. */
const propagateModes = ["change_one", "change_later", "change_all"] as const;

export type PropagateMode = (typeof propagateModes)[number];

/** `PATCH /messages/{message_id}` (messages.md §6.2). */
export const updateMessage = operation({
  id: "update-message",
  method: "PATCH",
  path: "/api/v1/messages/{message_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Edit a message, or move it with others of its topic",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
    params: { content: "Hello again" },
  },
  description:
    "Only its sender may edit the content, for ten minutes. Accounts with the permission may move channel messages to another topic, another channel or both. A topic is resolved by moving all its messages to the same name with the prefix `✔ `.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  renders: "content",
  params: {
    content: form
      .text()
      .optional()
      .describe("Markdown; truncated to `max_message_length`. Empty content becomes `(deleted)`."),
    topic: form
      .text({ anyText: true })
      .optional()
      .alias("subject")
      .describe("New topic; truncated to `max_topic_length`."),
    stream_id: form.int().optional().describe("Another channel."),
    propagate_mode: form
      .oneOf(...propagateModes)
      .default("change_one")
      .describe("Which messages of the topic move: this one, this and later ones, or all of them."),
    send_notification_to_old_thread: form
      .bool()
      .default(false)
      .describe("Whether the notification bot posts a notice of the move in the old topic."),
    send_notification_to_new_thread: form
      .bool()
      .default(true)
      .describe("Whether the notification bot posts a notice of the move in the new topic."),
    prev_content_sha256: form
      .text()
      .optional()
      .describe("SHA-256 of the content to be replaced, in hexadecimal."),
  },
  result: {
    detached_uploads: z
      .array(attachmentShape)
      .describe(
        "Files of the editor that this edit has taken out of the message and that no message shows any more.",
      ),
  },
  errors: [
    "EXPECTATION_MISMATCH",
    "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
  ],
});

/** `DELETE /messages/{message_id}` (messages.md §6.4). */
export const deleteMessage = operation({
  id: "delete-message",
  method: "DELETE",
  path: "/api/v1/messages/{message_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Delete a message",
  example: {
    as: "owner",
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
  },
  description:
    "For holders of `can_delete_any_message_group` of the organization or the channel. Also for the sender, or the owner of the bot that sent it, with `can_delete_own_message_group` and within the organization's time limit.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
});

const [first, ...others] = reportTypes;

/** `POST /messages/{message_id}/report` (clients.md §4). */
export const reportMessage = operation({
  id: "report-message",
  method: "POST",
  path: "/api/v1/messages/{message_id}/report",
  access: "account",
  idempotencyKey: true,
  summary: "Report a message",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
    refused: [400, "no channel for reports has been chosen"],
  },
  description:
    "The report goes to the organization's moderation channel (`moderation_request_channel_id`) as a message. An account may send 20 reports an hour.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    report_type: form.oneOf(first.key, ...others.map(({ key }) => key)),
    description: form
      .text()
      .optional()
      .describe("At most 1000 characters; required for the type `other`."),
  },
});

/** `POST /submessage` (messages.md §6.6). */
export const addSubmessage = operation({
  id: "add-submessage",
  method: "POST",
  path: "/api/v1/submessage",
  access: "account",
  idempotencyKey: true,
  summary: "Attach data to a message",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    params: { message_id: "$MESSAGE_ID", msg_type: "widget", content: '{"widget_type":"poll"}' },
  },
  description:
    "For integrations such as polls. The sender of the message attaches the first data; after that, every account with access to it may.",
  params: {
    message_id: form.id({ max: maxLongId }),
    msg_type: form.text().describe("Kind of data; at most 100 characters."),
    content: form.text().describe("JSON of at most 10000 characters."),
  },
});
