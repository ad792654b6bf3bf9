import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /users/me/{stream_id}/topics` (channels.md §7). */
export const listTopics = operation({
  id: "list-topics",
  method: "GET",
  path: "/api/v1/users/me/{stream_id}/topics",
  access: "account",
  summary: "List a channel's topics",
  description:
    "Those with a message that the caller may read, newest first. Archived channels count as unknown.",
  pathParams: { stream_id: path.int() },
  params: {
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe("Unless set, the empty topic has the organization's display name for it."),
  },
  result: {
    topics: z.array(
      z.strictObject({
        /** As in its newest message. */
        name: z.string(),
        /** ID of its newest message. */
        max_id: z.int(),
      }),
    ),
  },
});
