import * as z from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** `GET /users/me/{stream_id}/topics` (channels.md §7). */
export const listTopics = operation({
  id: "list-topics",
  method: "GET",
  path: "/api/v1/users/me/{stream_id}/topics",
  access: "account",
  summary: "List a channel's topics",
  description:
    "Topics with a message that the caller may read, newest first. Archived channels are treated as unknown.",
  pathParams: { stream_id: path.int() },
  params: {
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe("If false, the empty topic is sent as the organization's display name for it."),
  },
  result: {
    topics: z.array(
      z.strictObject({
        /** Spelled as in its newest message. */
        name: z.string(),
        /** ID of its newest message. */
        max_id: z.int(),
      }),
    ),
  },
});

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
        "Compared without case; the organization's display name for the empty topic means the empty topic.",
      ),
  },
  result: {
    /** False when the time ran out: send the request again for the rest. */
    complete: z.boolean(),
  },
});

/** `PATCH /users/me/subscriptions/muted_topics` (clients.md §4). */
export const muteTopic = operation({
  id: "mute-topic",
  method: "PATCH",
  path: "/api/v1/users/me/subscriptions/muted_topics",
  access: "account",
  idempotencyKey: true,
  summary: "Mute or unmute a topic",
  example: { params: { stream_id: 1, topic: "hello", op: "add" } },
  description: "The older form of `POST /user_topics`. Give `stream_id` or `stream`, not both.",
  params: {
    stream_id: form.id().optional(),
    stream: form.text().optional().describe("Name of the channel."),
    topic: form.text(),
    op: form.oneOf("add", "remove"),
  },
});

/** `POST /user_topics` (clients.md §4). */
export const setTopicPolicy = operation({
  id: "set-topic-policy",
  method: "POST",
  path: "/api/v1/user_topics",
  access: "account",
  idempotencyKey: true,
  summary: "Mute, unmute or follow a topic",
  example: { params: { topic: "hello", visibility_policy: 3 } },
  params: {
    stream_id: form.id(),
    topic: form.text().describe("May be a topic without messages."),
    visibility_policy: form
      .int({ min: 0, max: 3 })
      .describe("0 inherits from the channel, 1 mutes, 2 unmutes, 3 follows."),
  },
});
