import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /user_topics` (clients.md §4). */
export const setTopicPolicy = operation({
  id: "set-topic-policy",
  method: "POST",
  path: "/api/v1/user_topics",
  access: "account",
  summary: "Mute, unmute or follow a topic",
  example: { params: { topic: "hello", visibility_policy: 3 } },
  params: {
    stream_id: form.id(),
    topic: form.text().describe("Need not have a message yet."),
    visibility_policy: form
      .int({ min: 0, max: 3 })
      .describe("0 inherits from the channel, 1 mutes, 2 unmutes, 3 follows."),
  },
});
