import * as z from "zod";
import { maxAccounts, overBound } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { widgetContent } from "./widgets.ts";
import { operation } from "../primitives/operation.ts";
import { Unusable } from "../primitives/parameter.ts";
import { isUnstorable, parseStrictJson } from "../primitives/strict-json.ts";
import { messageTypes, sendingErrors, topicParameter } from "./scheduled-messages.ts";

const anyInteger = z.number().refine(Number.isInteger, "must be an integer");
const oneRecipient = z.union([anyInteger, z.string()]);
const recipients = z.union([oneRecipient, z.array(oneRecipient)]);

/** An ID, a name, or a list of them; text that is not JSON is a name (scheduled-messages.md §6). */
const sendTo = form.custom<z.output<typeof recipients>>({
  decode(text) {
    if (!isJson(text)) {
      if (isUnstorable(text)) throw new Unusable("must not contain U+0000");
      const tooMany = overBound(text.split(","), maxAccounts);
      if (tooMany) throw new Unusable(tooMany);
      return text;
    }
    const value = parseStrictJson(text);
    const tooMany = overBound(value, maxAccounts);
    if (tooMany) throw new Unusable(tooMany);
    const parsed = recipients.safeParse(value);
    if (!parsed.success)
      throw new Unusable("must be an ID, a name, or a list of IDs or of e-mail addresses");
    return parsed.data;
  },
  schema: z.toJSONSchema(recipients, { target: "openapi-3.0", unrepresentable: "any" }),
  json: true,
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Counts code points. */
const usableKey = /^\P{Cc}{1,200}$/u;

/** The key of a message that a later request with the same key edits (once-and-again.md §2). */
const upsertKey = form.custom<string>({
  decode(text) {
    if (usableKey.test(text)) return text;
    throw new Unusable("must have 1 to 200 characters, and no control characters");
  },
  schema: { type: "string", minLength: 1, maxLength: 200 },
  json: false,
});

/** `POST /messages` (scheduled-messages.md §6). */
export const sendMessage = operation({
  id: "send-message",
  method: "POST",
  path: "/api/v1/messages",
  access: "account",
  webhookBots: true,
  idempotencyKey: true,
  summary: "Send a message",
  example: { params: { type: "channel", to: 1, topic: "hello" } },
  params: {
    type: messageTypes,
    to: sendTo
      .optional()
      .describe(
        "Channel: its ID, or its name (in JSON quotes when the name looks like a number). " +
          "Direct: a list of user IDs or of e-mail addresses, or addresses separated by commas.",
      ),
    topic: topicParameter.describe("Required for channel messages, ignored for direct ones."),
    content: form
      .text()
      .describe(
        "Markdown; cut to `max_message_length`. `/poll` or `/todo` at the beginning makes a poll or a to-do list of it.",
      ),
    widget_content: widgetContent.optional(),
    read_by_sender: form
      .bool()
      .optional()
      .describe(
        "Whether the sender's own copy is marked as read; depends on the client program unless given.",
      ),
    queue_id: form
      .text()
      .optional()
      .mayDifferInRepeats()
      .describe("The event queue of the client, for local echo."),
    local_id: form
      .text()
      .optional()
      .mayDifferInRepeats()
      .describe("Returned as `local_message_id` in the `message` event of that queue."),
    upsert_key: upsertKey
      .optional()
      .describe(
        "1 to 200 characters. The first request with this key, by this account to this channel or conversation, sends a " +
          "message; later ones edit it.",
      ),
    upsert_version: form
      .int({ min: 0, max: Number.MAX_SAFE_INTEGER })
      .optional()
      .describe(
        "Needs `upsert_key`. A request whose version is not above the last one that was applied changes nothing.",
      ),
  },
  result: {
    id: z.int(),
    automatic_new_visibility_policy: z.int().optional(),
    upsert_result: z
      .enum(["created", "edited", "unchanged", "stale"])
      .optional()
      .describe("Only of requests with an `upsert_key`."),
  },
  errors: sendingErrors,
});
