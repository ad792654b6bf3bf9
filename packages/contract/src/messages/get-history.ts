import { z } from "zod";
import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** What a message was after one change; the first of them is how it was sent. */
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
    "The oldest entry first: the message as it was sent, then each change, as the organization lets it be seen.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe(
        "Whether the empty topic is shown as it is, or under the organization's name for it.",
      ),
  },
  result: { message_history: z.array(moment) },
});
