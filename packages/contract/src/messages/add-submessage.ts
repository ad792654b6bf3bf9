import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";

/** `POST /submessage` (messages.md §6.6). */
export const addSubmessage = operation({
  id: "add-submessage",
  method: "POST",
  path: "/api/v1/submessage",
  access: "account",
  summary: "Attach data to a message",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    params: { message_id: "$MESSAGE_ID", msg_type: "widget", content: '{"widget_type":"poll"}' },
  },
  description:
    "For integrations such as polls. Who wrote the message attaches the first; after that everyone who has access to it may.",
  params: {
    message_id: form.id({ max: maxLongId }),
    msg_type: form.text().describe("What kind of data it is; at most 100 characters."),
    content: form.text().describe("JSON, at most 10000 characters of it."),
  },
});
