import * as z from "zod";
import { maxAccounts } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";

/** `POST /typing` (clients.md §4). */
export const setTypingStatus = operation({
  id: "set-typing-status",
  method: "POST",
  path: "/api/v1/typing",
  access: "account",
  idempotencyKey: true,
  summary: "Say that you are typing",
  example: { params: { op: "start", to: [5] } },
  description:
    "Requires the permission to send a message there. No events are sent in channels with more than 100 subscribers.",
  params: {
    op: form.oneOf("start", "stop"),
    type: form
      .oneOf("direct", "private", "stream", "channel")
      .default("direct")
      .describe("`stream` and `private` are older names of `channel` and `direct`."),
    to: form
      .json(z.union([shape.id, z.array(shape.id)]), { maxItems: maxAccounts })
      .optional()
      .describe("Direct: a user ID, or a list of user IDs, which may include the caller."),
    stream_id: form.id().optional().describe("Channel: its ID."),
    topic: form.text({ anyText: true }).optional().describe("Channel: the topic."),
  },
  errors: ["REQUEST_VARIABLE_MISSING", "STREAM_DOES_NOT_EXIST"],
});

/** `POST /messages/{message_id}/typing` (clients.md §4). */
export const setEditTypingStatus = operation({
  id: "set-edit-typing-status",
  method: "POST",
  path: "/api/v1/messages/{message_id}/typing",
  access: "account",
  idempotencyKey: true,
  summary: "Say that you are editing a message",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
    params: { op: "start" },
  },
  description:
    "For the caller's own messages, while their content may be edited. No events are sent in channels with more than 100 subscribers.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: { op: form.oneOf("start", "stop") },
});
