import * as z from "zod";
import { form } from "../primitives/form.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { roles } from "../primitives/roles.ts";
import { callAttempt } from "./call-attempt.ts";

/** A bot's default channels, by name. */
export const botDefaults = z.strictObject({
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
});

const serviceFields = {
  /** The URL that is called, as given. */
  base_url: z.string(),
  /** The format of requests and answers: 1 generic, 2 Slack. */
  interface: z.int(),
};

/** The endpoint of an outgoing webhook bot (bot-platform.md §2.1). `token`: every request has it. */
export const botService = z.strictObject({ ...serviceFields, token: z.string() });

/** A {@link botService} as the event log stores it: with the token sealed, in hexadecimal digits. */
export const loggedService = z.strictObject({ ...serviceFields, token_sealed: z.string() });

/** Fields of a bot for its owner and administrators, in addition to the user object (users.md §5). */
export const botObject = z.strictObject({
  user_id: z.int(),
  /** The endpoint of an outgoing webhook bot; empty for other bots. */
  services: z.array(botService),
  ...botDefaults.shape,
});

/** The fields as logged. */
export const loggedBot = botObject.extend({ services: z.array(loggedService) });

/** Fields of a bot for its owner only. */
const ownedFields = { api_key: z.string(), avatar_url: z.string(), ...botDefaults.shape };

/** Configuration of an incoming webhook bot. Answers show only whether there is a secret (bot-platform.md §1.1). */
const webhookConfig = z.strictObject({ webhook_secret: z.string().optional() });

const createdBot = z.strictObject({
  user_id: z.int(),
  ...ownedFields,
  /** Configuration of an incoming webhook bot. */
  config_data: webhookConfig.optional(),
});

const ownBot = z.strictObject({
  username: z.string(),
  full_name: z.string(),
  ...ownedFields,
});

export type BotDefaults = z.input<typeof botDefaults>;
export type BotService = z.input<typeof botService>;
export type LoggedBot = z.input<typeof loggedBot>;
export type LoggedService = z.input<typeof loggedService>;
export type CreatedBot = z.input<typeof createdBot>;
export type OwnBot = z.input<typeof ownBot>;
export type UpdatedBot = Omit<OwnBot, "username" | "api_key"> & {
  bot_owner?: string;
  service_interface: number | null;
  service_payload_url: string | null;
  config_data: WebhookConfig | null;
};
export type WebhookConfig = z.input<typeof webhookConfig>;

const configData = () =>
  form
    .json(webhookConfig)
    .optional()
    .describe(
      'For incoming-webhook bots: `{"webhook_secret": "…"}` with at most 200 characters, with which programs then have to sign their requests; an empty one removes it. Answers show `********`.',
    );

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
      .describe(
        "1 generic, 2 incoming webhook, 3 outgoing webhook. Embedded bots are not supported.",
      ),
    payload_url: form
      .text()
      .optional()
      .describe(
        "Required for an outgoing webhook: the URL that is called, also as a JSON string, at most 2048 characters. Without effect for other bots.",
      ),
    interface_type: oneInteger([1, 2])
      .default(1)
      .describe("Format of the calls of an outgoing webhook: 1 generic, 2 Slack."),
    service_name: form
      .text()
      .optional()
      .describe("Name of the endpoint, at most 100 characters; `short_name` unless given."),
    config_data: configData(),
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
    config_data: configData(),
    default_sending_stream: form.text().optional().describe("Name of a channel; empty for none."),
    default_events_register_stream: form
      .text()
      .optional()
      .describe("Name of a channel; empty for none."),
    default_all_public_streams: form.bool().optional(),
    service_payload_url: form
      .text()
      .optional()
      .describe("For outgoing webhooks: another URL, also as a JSON string."),
    service_interface: oneInteger([1, 2])
      .optional()
      .describe("For outgoing webhooks: 1 generic, 2 Slack."),
  },
  result: {
    full_name: z.string(),
    avatar_url: z.string(),
    ...botDefaults.shape,
    /** The visible address of its owner; absent if it has no owner. */
    bot_owner: z.string().optional(),
    /** Of an outgoing webhook; null for other bots. */
    service_interface: z.int().nullable(),
    service_payload_url: z.string().nullable(),
    /** Of an incoming-webhook bot; null for other bots. */
    config_data: webhookConfig.nullable(),
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

const webhookFields = {
  payload_url: z.string(),
  /** 1 generic, 2 Slack */
  interface_type: z.int(),
  token: z.string(),
  /** Secrets of the signatures by Standard Webhooks, newest first. */
  signing_secrets: z.array(z.string()),
  /** Whether the last call failed. */
  state: z.enum(["ok", "failing"]),
  /** Calls that are not done. */
  waiting: z.int(),
};

const webhook = z.strictObject(webhookFields);

export type BotWebhook = z.input<typeof webhook>;

/** `GET /bots/{bot_id}/webhook` (bot-platform.md §2.1). */
export const getBotWebhook = operation({
  id: "get-bot-webhook",
  method: "GET",
  path: "/api/v1/bots/{bot_id}/webhook",
  access: "account",
  summary: "Get the endpoint of an outgoing webhook bot",
  example: {
    made: { USER_ID: ["create-bot", "user_id"] },
    path: { bot_id: "$USER_ID" },
    refused: [400, "an outgoing webhook bot"],
  },
  description: "For the bot's owner and for administrators of the organization.",
  pathParams: { bot_id: path.int() },
  result: webhookFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `POST /bots/{bot_id}/webhook/rotate` (bot-platform.md §2.1). */
export const rotateBotWebhook = operation({
  id: "rotate-bot-webhook",
  method: "POST",
  path: "/api/v1/bots/{bot_id}/webhook/rotate",
  access: "account",
  summary: "Replace a secret of an outgoing webhook bot",
  description:
    "For the bot's owner and for administrators of the organization. An old token ends at once; requests are signed with an old signing secret as well for 24 hours.",
  pathParams: { bot_id: path.int() },
  example: {
    made: { USER_ID: ["create-bot", "user_id"] },
    path: { bot_id: "$USER_ID" },
    params: { which: "token" },
    refused: [400, "an outgoing webhook bot"],
  },
  params: { which: form.oneOf("token", "signing_secret") },
  result: webhookFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

const delivery = z.strictObject({
  /** The same for all attempts of a call. */
  webhook_id: z.string(),
  message_id: z.int(),
  ...callAttempt,
});

export type BotDelivery = z.input<typeof delivery>;

/** `GET /bots/{bot_id}/webhook/deliveries` (bot-platform.md §2.1). */
export const listBotDeliveries = operation({
  id: "get-bot-webhook-deliveries",
  method: "GET",
  path: "/api/v1/bots/{bot_id}/webhook/deliveries",
  access: "account",
  summary: "Get the last calls of an outgoing webhook bot",
  description:
    "For the bot's owner and for administrators of the organization: the last 100 attempts of at most 14 days, newest first.",
  example: {
    made: { USER_ID: ["create-bot", "user_id"] },
    path: { bot_id: "$USER_ID" },
    refused: [400, "an outgoing webhook bot"],
  },
  pathParams: { bot_id: path.int() },
  result: { deliveries: z.array(delivery) },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
