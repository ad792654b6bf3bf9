import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `POST /streams/{stream_id}/delete_topic` (channels.md §7). */
export const deleteTopic = operation({
  id: "delete-topic",
  method: "POST",
  path: "/api/v1/streams/{stream_id}/delete_topic",
  access: "administrator",
  summary: "Delete a topic",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, params: { topic_name: "hello" } },
  description:
    "Removes the messages of the topic that the caller may read, the newest first, in steps that stay done. What is sent " +
    "to the topic meanwhile stays.",
  pathParams: { stream_id: path.int() },
  params: {
    topic_name: form
      .text()
      .describe(
        "In any case; the organization's display name for the empty topic means the empty one.",
      ),
  },
  result: {
    /** False where the time was not enough: ask again for the rest. */
    complete: z.boolean(),
  },
});
