import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { markedRead } from "./marked-read.ts";

/** `POST /mark_topic_as_read` (messages.md §7). */
export const markTopicRead = operation({
  id: "mark-topic-as-read",
  method: "POST",
  path: "/api/v1/mark_topic_as_read",
  access: "account",
  summary: "Mark messages in a topic as read",
  params: {
    stream_id: form.id().describe("A channel that the caller may read, archived or not."),
    topic_name: form
      .text()
      .describe(
        "In any case, of a topic that the caller has a message of; the organization's display name for the empty topic means the empty one.",
      ),
  },
  result: markedRead,
});
