import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `PATCH /users/me/subscriptions/muted_topics` (clients.md §4). */
export const muteTopic = operation({
  id: "mute-topic",
  method: "PATCH",
  path: "/api/v1/users/me/subscriptions/muted_topics",
  access: "account",
  summary: "Mute a topic, or no longer",
  example: { params: { stream_id: 1, topic: "hello", op: "add" } },
  description: "The older form of `POST /user_topics`. Give `stream_id` or `stream`, not both.",
  params: {
    stream_id: form.id().optional(),
    stream: form.text().optional().describe("Name of the channel."),
    topic: form.text(),
    op: form.oneOf("add", "remove"),
  },
});
