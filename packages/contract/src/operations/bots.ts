import { z } from "zod";
import { form } from "../primitives/form.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { roles } from "../primitives/roles.ts";

/** A bot's default channels, by name. */
export const botDefaults = z.strictObject({
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
});

/** Fields of a bot for its owner and administrators, in addition to the user object (users.md §5). */
export const botObject = z.strictObject({
  user_id: z.int(),
  /** For outgoing webhooks, which do not exist. */
  services: z.array(z.never()),
  ...botDefaults.shape,
});

/** Fields of a bot for its owner only. */
const ownedFields = { api_key: z.string(), avatar_url: z.string(), ...botDefaults.shape };

const createdBot = z.strictObject({ user_id: z.int(), ...ownedFields });

const ownBot = z.strictObject({
  username: z.string(),
  full_name: z.string(),
  ...ownedFields,
});

export type BotDefaults = z.input<typeof botDefaults>;
export type BotObject = z.input<typeof botObject>;
export type CreatedBot = z.input<typeof createdBot>;
export type OwnBot = z.input<typeof ownBot>;
export type UpdatedBot = Omit<OwnBot, "username" | "api_key"> & {
  bot_owner?: string;
  service_interface: null;
  service_payload_url: null;
  config_data: null;
};

/** `GET /bots` (users.md §5). */
export const listBots = operation({
  id: "list-bots",
  method: "GET",
  path: "/api/v1/bots",
  access: "human",
  summary: "Get one's own bots",
  description: "Active bots, with their keys. Not for guests.",
  result: { bots: z.array(ownBot) },
});

/** `POST /bots` (users.md §5). */
export const createBot = operation({
  id: "create-bot",
  method: "POST",
  path: "/api/v1/bots",
  access: "human",
  summary: "Create a bot",
  example: { params: { full_name: "Build Bot $RANDOM", short_name: "build-$RANDOM" } },
  description: "The caller becomes its owner. The bot is a member without subscriptions.",
  params: {
    full_name: form.text().describe("1 to 100 characters; not the name of an active account."),
    short_name: form
      .text()
      .describe("Start of the bot's address: `{short_name}-bot@`, followed by `realm_bot_domain`."),
    bot_type: form
      .int()
      .default(1)
      .describe("1 generic, 2 incoming webhook. Other types are not supported."),
    default_sending_stream: form.text().optional().describe("The name of a channel."),
    default_events_register_stream: form.text().optional().describe("The name of a channel."),
    default_all_public_streams: form.bool().default(false),
  },
  result: createdBot.shape,
});

/** `PATCH /bots/{bot_id}` (users.md §5). */
export const updateBot = operation({
  id: "update-bot",
  method: "PATCH",
  path: "/api/v1/bots/{bot_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Change a bot",
  example: {
    made: { USER_ID: ["create-bot", "user_id"] },
    path: { bot_id: "$USER_ID" },
    params: { full_name: "Release Bot $RANDOM" },
  },
  description:
    "For the bot's owner and for administrators of the organization. The change is atomic.",
  pathParams: { bot_id: path.int() },
  params: {
    full_name: form
      .text()
      .optional()
      .describe("1 to 100 characters; not the name of another active account."),
    role: oneInteger(Object.values(roles))
      .optional()
      .describe("For administrators; only owners may grant or remove the owner role."),
    bot_owner_id: form
      .id()
      .optional()
      .describe(
        "ID of an active person who is not a guest. For administrators; the bot gets a new key, and its event queues end.",
      ),
    short_name: form
      .text()
      .optional()
      .describe("Start of a new address, with which the bot logs in from then on."),
    default_sending_stream: form.text().optional().describe("Name of a channel; empty for none."),
    default_events_register_stream: form
      .text()
      .optional()
      .describe("Name of a channel; empty for none."),
    default_all_public_streams: form.bool().optional(),
  },
  result: {
    full_name: z.string(),
    avatar_url: z.string(),
    ...botDefaults.shape,
    /** The visible address of its owner; absent if it has no owner. */
    bot_owner: z.string().optional(),
    /** For outgoing webhooks and embedded bots, which do not exist. */
    service_interface: z.null(),
    service_payload_url: z.null(),
    config_data: z.null(),
  },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `DELETE /bots/{bot_id}` (users.md §5). */
export const deactivateBot = operation({
  id: "deactivate-bot",
  method: "DELETE",
  path: "/api/v1/bots/{bot_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Deactivate a bot",
  example: { made: { USER_ID: ["create-bot", "user_id"] }, path: { bot_id: "$USER_ID" } },
  description: "For the bot's owner and for administrators of the organization.",
  pathParams: { bot_id: path.int() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `GET /bots/{bot_id}/api_key` (users.md §5). */
export const getBotApiKey = operation({
  id: "get-bot-api-key",
  method: "GET",
  path: "/api/v1/bots/{bot_id}/api_key",
  access: "account",
  summary: "Get a bot's API key",
  example: { as: "owner" },
  description:
    "For the bot's owner and for administrators of the organization; only for owners if the bot has the owner role.",
  pathParams: { bot_id: path.int() },
  result: { api_key: z.string() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `POST /bots/{bot_id}/api_key/regenerate` (users.md §5). */
export const regenerateBotApiKey = operation({
  id: "regenerate-bot-api-key",
  method: "POST",
  path: "/api/v1/bots/{bot_id}/api_key/regenerate",
  access: "account",
  summary: "Regenerate a bot's API key",
  example: { made: { USER_ID: ["create-bot", "user_id"] }, path: { bot_id: "$USER_ID" } },
  description:
    "For the bot's owner and for administrators of the organization. The old key becomes invalid at once.",
  pathParams: { bot_id: path.int() },
  result: { api_key: z.string() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
