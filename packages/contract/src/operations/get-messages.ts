import * as z from "zod";
import { form } from "../primitives/form.ts";
import { messageResource } from "./message-resource.ts";
import { narrowParameter } from "./narrow.ts";
import { operation } from "../primitives/operation.ts";
import { shape } from "../primitives/shape.ts";

export type { EditHistoryEntry, MessageResource } from "./message-resource.ts";
export type { NarrowTerm } from "./narrow.ts";

/** Parameter for requests with `anchor=date`. */
export const anchorDate = form
  .text()
  .optional()
  .describe(
    "ISO 8601 date or time, in UTC unless it has an offset. With `anchor=date`, the anchor is the first message sent at or after it.",
  );

/** `GET /messages` (messages.md §1). */
export const getMessages = operation({
  id: "get-messages",
  method: "GET",
  path: "/api/v1/messages",
  access: "account",
  summary: "Get messages",
  example: {
    params: {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: "channel", operand: "general" }],
    },
  },
  description:
    "A window around an anchor in the messages that match a narrow, or a list of messages by ID. Searches the caller's own history, unless a term widens the search. At most 5000 messages in one request; at most 1000 are recommended.",
  params: {
    anchor: form
      .text()
      .optional()
      .describe(
        "A message ID, `newest`, `oldest`, `first_unread` or `date`. Required unless `message_ids` is given.",
      ),
    anchor_date: anchorDate,
    include_anchor: form
      .bool()
      .optional()
      .describe(
        "Whether the message with the anchor's ID is included if it matches; `true` unless given.",
      ),
    num_before: form
      .int({ min: 0 })
      .optional()
      .describe("How many messages before the anchor. Required unless `message_ids` is given."),
    num_after: form
      .int({ min: 0 })
      .optional()
      .describe("How many messages after the anchor. Required unless `message_ids` is given."),
    narrow: narrowParameter.describe(
      "Terms that must all match: objects with `operator`, `operand` and `negated`, or pairs of strings.",
    ),
    client_gravatar: form
      .bool()
      .default(true)
      .describe(
        "Whether `avatar_url` may be null for senders whose Gravatar the client can compute.",
      ),
    apply_markdown: form
      .bool()
      .default(true)
      .describe("Whether `content` is HTML or the Markdown source."),
    message_ids: form
      .json(z.array(shape.longId))
      .optional()
      .describe(
        "Returns these messages if they are visible and match; not allowed with an anchor.",
      ),
    allow_empty_topic_name: form
      .bool()
      .default(false)
      .describe(
        "Whether the empty topic is sent as an empty string or as the organization's display name for it.",
      ),
    use_first_unread_anchor: form
      .bool()
      .optional()
      .describe("Deprecated: `true` means `anchor=first_unread` and overrides `anchor`."),
  },
  result: {
    anchor: z.number().optional(),
    found_anchor: z.boolean(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    history_limited: z.boolean(),
    messages: z.array(messageResource),
  },
  errors: ["BAD_NARROW", "REQUEST_VARIABLE_MISSING"],
});
