import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { markedRead } from "./marked-read.ts";

/** `POST /mark_stream_as_read` (messages.md §7). */
export const markChannelRead = operation({
  id: "mark-stream-as-read",
  method: "POST",
  path: "/api/v1/mark_stream_as_read",
  access: "account",
  summary: "Mark messages in a channel as read",
  params: { stream_id: form.id().describe("A channel that the caller may read, archived or not.") },
  result: markedRead,
});
