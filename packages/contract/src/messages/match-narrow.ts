import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";
import { narrowParameter } from "./narrow.ts";

/** `GET /messages/matches_narrow` (messages.md §7). */
export const matchNarrow = operation({
  id: "match-narrow",
  method: "GET",
  path: "/api/v1/messages/matches_narrow",
  access: "account",
  summary: "Check if messages match a narrow",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    params: { msg_ids: "[$MESSAGE_ID]", narrow: [{ operator: "topic", operand: "hello" }] },
  },
  description:
    "Which of these messages of the caller's own history match. At most 5000 messages in one request.",
  params: {
    msg_ids: form.json(z.array(shape.longId)).describe("The IDs of the messages."),
    narrow: narrowParameter.describe(
      "Terms that must all hold: objects with `operator`, `operand` and `negated`, or pairs of strings.",
    ),
  },
  result: {
    messages: z
      .record(z.string(), z.strictObject({ match_content: z.string(), match_subject: z.string() }))
      .describe("By the ID, those that match, with content and topic as HTML."),
  },
  errors: ["BAD_NARROW"],
});
