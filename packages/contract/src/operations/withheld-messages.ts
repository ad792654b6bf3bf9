import * as z from "zod";
import { operation } from "../primitives/operation.ts";
import { condition } from "./conditions.ts";
import { scheduledMessageId, scheduledMessageResource } from "./scheduled-messages.ts";

/** A message that was not sent because a condition held (once-and-again.md §4). */
export const withheldMessageResource = scheduledMessageResource
  .omit({ rendered_content: true, failed: true })
  .extend({
    withheld_timestamp: z.int(),
    condition,
    /** The reply; null for other conditions. */
    message_id: z.int().nullable(),
  });

export type WithheldMessageResource = z.input<typeof withheldMessageResource>;

/** `GET /scheduled_messages/withheld` (once-and-again.md §4). */
export const listWithheldMessages = operation({
  id: "list-withheld-messages",
  method: "GET",
  path: "/api/v1/scheduled_messages/withheld",
  access: "account",
  summary: "List withheld messages",
  description:
    "The caller's messages of the last 30 days that were not sent because one of their conditions held, newest first.",
  result: { withheld_messages: z.array(withheldMessageResource) },
});

/** `GET /scheduled_messages/conditions` (once-and-again.md §4). */
export const listConditions = operation({
  id: "list-conditions",
  method: "GET",
  path: "/api/v1/scheduled_messages/conditions",
  access: "account",
  summary: "List conditions of scheduled messages",
  description:
    "The caller's undelivered messages that have conditions, in the order of their time.",
  result: {
    conditions: z.array(
      z.strictObject({
        scheduled_message_id: z.int(),
        unless: z.array(condition),
        /** UNIX seconds; null before the first check-in. */
        last_check_in: z.int().nullable(),
      }),
    ),
  },
});

/** `POST /scheduled_messages/{scheduled_message_id}/check_in` (once-and-again.md §4). */
export const checkInAtScheduledMessage = operation({
  id: "check-in",
  method: "POST",
  path: "/api/v1/scheduled_messages/{scheduled_message_id}/check_in",
  pathParams: { scheduled_message_id: scheduledMessageId },
  access: "account",
  idempotencyKey: true,
  summary: "Check in at a scheduled message",
  example: {
    made: { SCHEDULED_MESSAGE_ID: ["create-scheduled-message", "scheduled_message_id"] },
    path: { scheduled_message_id: "$SCHEDULED_MESSAGE_ID" },
    refused: [400, "the message has no `check_in` condition"],
  },
  description:
    "For the sender, and for accounts that a `check_in` condition of the message names. After a check-in the message is not " +
    "sent; if the condition has an `interval`, it is due that many seconds after the check-in instead.",
  result: { scheduled_delivery_timestamp: z.int() },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});
