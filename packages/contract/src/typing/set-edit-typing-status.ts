import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `POST /messages/{message_id}/typing` (clients.md §4). */
export const setEditTypingStatus = operation({
  id: "set-edit-typing-status",
  method: "POST",
  path: "/api/v1/messages/{message_id}/typing",
  access: "account",
  summary: "Say that you are editing a message",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
    params: { op: "start" },
  },
  description:
    "Only of the caller's own messages, as long as their content may be edited. Nothing is passed on in channels of " +
    "more than 100 subscribers.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: { op: form.oneOf("start", "stop") },
});
