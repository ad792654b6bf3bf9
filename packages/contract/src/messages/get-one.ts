import { z } from "zod";
import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { messageResource } from "./message-resource.ts";

/** `GET /messages/{message_id}` (messages.md §6.1). */
export const getMessage = operation({
  id: "get-message",
  method: "GET",
  path: "/api/v1/messages/{message_id}",
  access: "account",
  summary: "Get a message",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, path: { message_id: "$MESSAGE_ID" } },
  description: "As `GET /messages` has it, whatever the caller has received of its conversation.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    apply_markdown: form
      .bool()
      .default(true)
      .describe("Whether `content` is HTML or the text as it was written."),
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe(
        "Whether the empty topic is shown as it is, or under the organization's name for it.",
      ),
  },
  result: {
    message: messageResource,
    raw_content: z.string().describe("Deprecated: the text as it was written."),
  },
});
