import { z } from "zod";
import { form } from "../form.ts";
import { oneInteger } from "../one-integer.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { roles } from "../roles.ts";
import { botDefaults } from "./bot-objects.ts";

/** `PATCH /bots/{bot_id}` (users.md §5). */
export const updateBot = operation({
  id: "update-bot",
  method: "PATCH",
  path: "/api/v1/bots/{bot_id}",
  access: "account",
  summary: "Change a bot",
  example: {
    made: { USER_ID: ["create-bot", "user_id"] },
    path: { bot_id: "$USER_ID" },
    params: { full_name: "Release Bot $RANDOM" },
  },
  description:
    "For the bot's owner and for administrators of the organization. Everything is changed or nothing.",
  pathParams: { bot_id: path.int() },
  params: {
    full_name: form
      .text()
      .optional()
      .describe("1 to 100 characters; no other active account may have it."),
    role: oneInteger(Object.values(roles))
      .optional()
      .describe("For administrators; only owners give or take the owner's role."),
    bot_owner_id: form
      .id()
      .optional()
      .describe(
        "Of an active person who is no guest. For administrators; the bot gets another key, and its event queues end.",
      ),
    short_name: form
      .text()
      .optional()
      .describe("The beginning of another address, with which the bot logs in from then on."),
    default_sending_stream: form
      .text()
      .optional()
      .describe("The name of a channel, blank for none."),
    default_events_register_stream: form
      .text()
      .optional()
      .describe("The name of a channel, blank for none."),
    default_all_public_streams: form.bool().optional(),
  },
  result: {
    full_name: z.string(),
    avatar_url: z.string(),
    ...botDefaults.shape,
    /** The address that everybody knows its owner by; absent where it has none. */
    bot_owner: z.string().optional(),
    /** Of outgoing webhooks and embedded bots, which there are none of. */
    service_interface: z.null(),
    service_payload_url: z.null(),
    config_data: z.null(),
  },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
