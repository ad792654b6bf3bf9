import * as z from "zod";
import { maxMessages } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { requiredNarrowParameter } from "./narrow.ts";
import { operation } from "../primitives/operation.ts";
import { shape } from "../primitives/shape.ts";
import { anchorDate } from "./get-messages.ts";

/** The answer of operations that mark messages as read (messages.md §7). */
const markedRead = {
  complete: z
    .boolean()
    .describe(
      "False if there are more messages than one request marks: the rest is marked in the background.",
    ),
};

/** The number as it was sent, because the answer repeats it. */
const sentId = shape.integer;

/** The flag, and whether it is added or removed. */
const flagParameters = {
  op: form.oneOf("add", "remove"),
  flag: form.oneOf("read", "starred", "collapsed"),
};

const ignoredChannels = z
  .array(z.int())
  .describe("Channels whose messages were not marked as unread, ascending.");

/** `POST /messages/flags` (messages.md §7). */
export const updateMessageFlags = operation({
  id: "update-message-flags",
  method: "POST",
  path: "/api/v1/messages/flags",
  access: "account",
  idempotencyKey: true,
  summary: "Change the caller's own flags of messages",
  example: { params: { messages: [4], op: "add", flag: "starred" } },
  description:
    "If the caller may not see one of the messages, nothing is changed. Exception: `read` is added to every message that the caller has received. Messages of channels to which the caller is not subscribed stay read.",
  params: {
    messages: form
      .json(z.array(sentId), { maxItems: maxMessages })
      .describe("The IDs of the messages, at most 5000."),
    ...flagParameters,
  },
  result: {
    messages: z.array(sentId).describe("As sent."),
    ignored_because_not_subscribed_channels: ignoredChannels,
  },
});

/** `POST /messages/flags/narrow` (messages.md §7). */
export const updateMessageFlagsInNarrow = operation({
  id: "update-message-flags-for-narrow",
  method: "POST",
  path: "/api/v1/messages/flags/narrow",
  access: "account",
  idempotencyKey: true,
  summary: "Change the caller's own flags of messages in a narrow",
  example: {
    params: {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: "channel", operand: "general" }],
      op: "add",
      flag: "read",
    },
  },
  description:
    "Changes the messages that `GET /messages` returns for the same anchor, numbers and narrow; a window of more than 5000 messages is reduced. Messages of channels to which the caller is not subscribed stay read.",
  params: {
    anchor: form.text().describe("A message ID, `newest`, `oldest`, `first_unread` or `date`."),
    anchor_date: anchorDate,
    include_anchor: form
      .bool()
      .default(true)
      .describe("Whether the message with the anchor's ID is changed if it matches."),
    num_before: form.int({ min: 0 }).describe("How many messages before the anchor."),
    num_after: form.int({ min: 0 }).describe("How many messages after the anchor."),
    narrow: requiredNarrowParameter.describe(
      "Terms that must all match: objects with `operator`, `operand` and `negated`, or pairs of strings.",
    ),
    ...flagParameters,
  },
  result: {
    processed_count: z.int().describe("How many messages are in the window."),
    updated_count: z.int().describe("How many messages were changed."),
    first_processed_id: z.int().nullable(),
    last_processed_id: z.int().nullable(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    ignored_because_not_subscribed_channels: ignoredChannels,
  },
  errors: ["BAD_NARROW"],
});

/** `POST /mark_all_as_read` (messages.md §7). */
export const markAllRead = operation({
  id: "mark-all-as-read",
  method: "POST",
  path: "/api/v1/mark_all_as_read",
  access: "account",
  summary: "Mark all messages as read",
  description:
    "Marks all received messages, including muted ones and those in channels that the caller has left.",
  params: {},
  result: markedRead,
});

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
        "Compared without case; the caller must have a message of the topic. The organization's display name for the empty topic means the empty topic.",
      ),
  },
  result: markedRead,
});
