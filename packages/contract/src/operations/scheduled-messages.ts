import * as z from "zod";
import { maxAccounts } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { unlessParameter } from "./conditions.ts";

/** The type of a message, for creation and changes. */
export const messageTypes = form
  .oneOf("direct", "channel", "stream", "private")
  .describe("`stream` and `private` are older names of `channel` and `direct`.");

const anyInteger = z
  .number()
  .refine(Number.isInteger, "must be an integer")
  .meta({ type: "integer" });

/** Recipients of a message that is sent later. */
export const scheduledTo = form
  .json(z.union([anyInteger, z.array(anyInteger)]), { maxItems: maxAccounts })
  .describe("The ID of a channel, or a list of user IDs, which may include the sender.");

/** The topic. Direct messages ignore any value of it. */
export const topicParameter = form.text({ anyText: true }).optional().alias("subject");

export const deliveryTimestamp = form
  .int()
  .describe("UNIX time in UTC seconds; must lie in the future.");

export const scheduledMessageId = path.int({ max: maxLongId });

/** Refusals of a message that may not be sent (scheduled-messages.md §0.4). */
export const sendingErrors = [
  "BAD_REQUEST",
  "STREAM_DOES_NOT_EXIST",
  "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
  "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
] as const;

/** A scheduled message as clients see it (scheduled-messages.md §0.7). */
export const scheduledMessageResource = z.strictObject({
  scheduled_message_id: z.int(),
  type: z.enum(["stream", "private"]),
  /** The channel, or the other participants; the account itself if there are no others. */
  to: z.union([z.int(), z.array(z.int())]),
  /** Only of channel messages. */
  topic: z.string().optional(),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean(),
});

export type ScheduledMessageResource = z.input<typeof scheduledMessageResource>;

/** `GET /scheduled_messages` (scheduled-messages.md §3). */
export const listScheduledMessages = operation({
  id: "list-scheduled-messages",
  method: "GET",
  path: "/api/v1/scheduled_messages",
  access: "account",
  summary: "List scheduled messages",
  description: "The caller's undelivered messages, including failed ones, in order of their time.",
  result: { scheduled_messages: z.array(scheduledMessageResource) },
});

/** `POST /scheduled_messages` (scheduled-messages.md §1). */
export const createScheduledMessage = operation({
  id: "create-scheduled-message",
  method: "POST",
  path: "/api/v1/scheduled_messages",
  access: "account",
  idempotencyKey: true,
  summary: "Schedule a message",
  example: { params: { type: "channel", to: 1, topic: "hello", content: "Sent on time, once." } },
  description:
    "The message is checked as if it were sent now, and again when it is due. Until then no other user can see it.",
  params: {
    type: messageTypes,
    to: scheduledTo,
    content: form.text().describe("Markdown; truncated to `max_message_length`."),
    topic: topicParameter.describe(
      "Required for channel messages, ignored for direct ones; truncated to `max_topic_length`.",
    ),
    scheduled_delivery_timestamp: deliveryTimestamp,
    read_by_sender: form
      .bool()
      .optional()
      .describe(
        "Whether the sender's own copy is marked as read; depends on the client program unless given.",
      ),
    unless: unlessParameter,
  },
  result: { scheduled_message_id: z.int() },
  errors: sendingErrors,
});

/** `PATCH /scheduled_messages/{scheduled_message_id}` (scheduled-messages.md §2). */
export const editScheduledMessage = operation({
  id: "edit-scheduled-message",
  method: "PATCH",
  path: "/api/v1/scheduled_messages/{scheduled_message_id}",
  pathParams: { scheduled_message_id: scheduledMessageId },
  access: "account",
  idempotencyKey: true,
  summary: "Edit a scheduled message",
  example: {
    made: { SCHEDULED_MESSAGE_ID: ["create-scheduled-message", "scheduled_message_id"] },
    path: { scheduled_message_id: "$SCHEDULED_MESSAGE_ID" },
    params: { content: "Sent later, once.", scheduled_delivery_timestamp: 4_102_448_400 },
  },
  description:
    "Parameters that are not given keep their values. A failed message is scheduled again by a new time.",
  params: {
    type: messageTypes.optional(),
    to: scheduledTo.optional(),
    content: form.text().optional(),
    topic: topicParameter,
    scheduled_delivery_timestamp: deliveryTimestamp.optional(),
    unless: unlessParameter,
  },
  missingIs404: true,
  errors: sendingErrors,
});

/** `DELETE /scheduled_messages/{scheduled_message_id}` (scheduled-messages.md §4). */
export const deleteScheduledMessage = operation({
  id: "delete-scheduled-message",
  method: "DELETE",
  path: "/api/v1/scheduled_messages/{scheduled_message_id}",
  pathParams: { scheduled_message_id: scheduledMessageId },
  access: "account",
  idempotencyKey: true,
  summary: "Delete a scheduled message",
  example: {
    made: { SCHEDULED_MESSAGE_ID: ["create-scheduled-message", "scheduled_message_id"] },
    path: { scheduled_message_id: "$SCHEDULED_MESSAGE_ID" },
  },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

/** `GET /scheduled_messages/failures` (scheduled-messages.md §3.1). */
export const listFailures = operation({
  id: "list-failed-scheduled-messages",
  method: "GET",
  path: "/api/v1/scheduled_messages/failures",
  access: "account",
  summary: "List why scheduled messages failed",
  description:
    "The caller's scheduled messages that could not be sent, in the order of their time.",
  result: {
    failures: z.array(
      z.strictObject({
        scheduled_message_id: z.int(),
        /** English, for people. */
        reason: z.string(),
        /** UNIX seconds; null if it failed in a release that did not record it. */
        failed_timestamp: z.int().nullable(),
      }),
    ),
  },
});
