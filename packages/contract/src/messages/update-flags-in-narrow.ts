import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { anchorDate } from "./get.ts";
import { requiredNarrowParameter } from "./narrow.ts";
import { flagParameters, ignoredChannels } from "./update-flags.ts";

/** `POST /messages/flags/narrow` (messages.md §7). */
export const updateMessageFlagsInNarrow = operation({
  id: "update-message-flags-for-narrow",
  method: "POST",
  path: "/api/v1/messages/flags/narrow",
  access: "account",
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
    "Of the messages that `GET /messages` finds with the same anchor, numbers and narrow; of more than 5000 the window is made smaller. Messages of channels that the caller is not subscribed to stay read.",
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
      "Terms that must all hold: objects with `operator`, `operand` and `negated`, or pairs of strings.",
    ),
    ...flagParameters,
  },
  result: {
    processed_count: z.int().describe("How many messages are in the window."),
    updated_count: z.int().describe("How many of them were changed."),
    first_processed_id: z.int().nullable(),
    last_processed_id: z.int().nullable(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    ignored_because_not_subscribed_channels: ignoredChannels,
  },
  errors: ["BAD_NARROW"],
});
