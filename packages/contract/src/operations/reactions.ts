import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** `POST /messages/{message_id}/reactions` (messages.md §6.5). */
export const addReaction = operation({
  id: "add-reaction",
  method: "POST",
  path: "/api/v1/messages/{message_id}/reactions",
  access: "account",
  idempotencyKey: true,
  summary: "Add an emoji reaction",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, path: { message_id: "$MESSAGE_ID" } },
  description: "If the message already has this emoji, the name of the earlier reaction is used.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    emoji_name: form.text().describe("A name of the emoji."),
    emoji_code: form.text().optional().describe("Code of the emoji; the name's code unless given."),
    reaction_type: form
      .text()
      .optional()
      .describe(
        "`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; the name's type unless given.",
      ),
  },
  errors: ["REACTION_ALREADY_EXISTS"],
});

/** `DELETE /messages/{message_id}/reactions` (messages.md §6.5). */
export const removeReaction = operation({
  id: "remove-reaction",
  method: "DELETE",
  path: "/api/v1/messages/{message_id}/reactions",
  access: "account",
  idempotencyKey: true,
  summary: "Remove an emoji reaction",
  example: {
    made: { REACTED: ["add-reaction", "result"] },
    path: { message_id: "$MESSAGE_ID" },
    params: { emoji_name: "tada" },
  },
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    emoji_name: form.text().optional().describe("Required unless `emoji_code` is given."),
    emoji_code: form.text().optional().describe("Takes precedence over `emoji_name`."),
    reaction_type: form
      .text()
      .default("unicode_emoji")
      .describe("`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`."),
  },
  errors: ["REACTION_DOES_NOT_EXIST"],
});

const fields = {
  message_id: z.int(),
  user_id: z.int(),
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.string(),
};
const log = {
  ...fields,
  /** The account that reacted, with its visible address. */
  reactor: z.strictObject({ email: z.string(), full_name: z.string() }),
};
/** Marks a receiver that may not see the account that reacted (users.md §2.1). */
const own = { unseen_reactor: z.literal(true) };
const older = {
  reaction_user: {
    about: "Includes the user who reacted.",
    fields: {
      ...fields,
      user: z.strictObject({ user_id: z.int(), email: z.string(), full_name: z.string() }),
    },
  },
};
const receivers = "everyone who has the message, and subscribers who can read it";

export const reactionAdded = event({
  type: "reaction",
  op: "add",
  about: "A user has added a reaction to a message.",
  to: "some",
  receivers,
  fields,
  log,
  own,
  older,
});

export const reactionRemoved = event({
  type: "reaction",
  op: "remove",
  about: "A user has removed a reaction from a message.",
  to: "some",
  receivers,
  fields,
  log,
  own,
  older,
});
