import * as z from "zod";
import { maxAccounts } from "../primitives/bounds.ts";
import { channelObject, topicsPolicies } from "./channel-object.ts";
import { form } from "../primitives/form.ts";
import { maxId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { groupSettingParameters, groupSettingUpdateParameters } from "../permissions/parameters.ts";
import { channelPermissions } from "../permissions/registry.ts";
import { shape } from "../primitives/shape.ts";

/** Parameters of a new channel, for both operations that can create one (channels.md §4). */
export const creationParameters = {
  announce: form
    .bool()
    .default(false)
    .describe("Whether the notification bot announces new channels."),
  invite_only: form.bool().default(false).describe("A private channel."),
  is_web_public: form.bool().default(false),
  is_default_stream: form.bool().default(false).describe("New members are subscribed to it."),
  folder_id: form.id().optional(),
  topics_policy: form.oneOfOrJson(...topicsPolicies).default("inherit"),
  history_public_to_subscribers: form
    .bool()
    .optional()
    .describe(
      "Always true for channels that are not private; false by default for private channels.",
    ),
  message_retention_days: form
    .intOr(["realm_default", "unlimited"], { min: 1, max: maxId })
    .default("realm_default"),
  ...groupSettingParameters(channelPermissions),
  send_new_subscription_messages: form
    .bool()
    .default(true)
    .describe("Whether the notification bot tells people that they were subscribed."),
};

/** `GET /streams` (channels.md §7). */
export const listChannels = operation({
  id: "list-channels",
  method: "GET",
  path: "/api/v1/streams",
  access: "account",
  summary: "List channels",
  description:
    "Includes only channels whose metadata the caller, or a bot's owner, may see, regardless of the parameters.",
  params: {
    include_public: form.bool().default(true).describe("No effect for guests."),
    include_web_public: form.bool().default(false),
    include_subscribed: form.bool().default(true),
    exclude_archived: form.bool().default(true),
    include_all: form
      .bool()
      .default(false)
      .alias("include_all_active")
      .describe("Every channel whose metadata the caller may see."),
    include_default: form.bool().default(false).describe("Adds `is_default`."),
    include_owner_subscribed: form
      .bool()
      .default(false)
      .describe("For bots: the channels of the owner."),
    include_can_access_content: form
      .bool()
      .default(false)
      .describe("Every channel whose messages the caller may read."),
  },
  result: { streams: z.array(channelObject) },
});

/** `GET /streams/{stream_id}` (channels.md §7). */
export const getChannel = operation({
  id: "get-channel",
  method: "GET",
  path: "/api/v1/streams/{stream_id}",
  access: "account",
  summary: "Get a channel",
  description: "Archived channels are treated as unknown.",
  pathParams: { stream_id: path.int() },
  result: { stream: channelObject },
});

/** `GET /get_stream_id` (channels.md §7). */
export const getChannelId = operation({
  id: "get-channel-id",
  method: "GET",
  path: "/api/v1/get_stream_id",
  access: "account",
  summary: "Get a channel's ID by its name",
  description: "For active channels that the caller may read.",
  params: { stream: form.text().describe("Name of the channel, regardless of case.") },
  result: { stream_id: z.int() },
});

/** `GET /streams/{stream_id}/email_address` (channels.md §8). */
export const getChannelEmailAddress = operation({
  id: "get-channel-email-address",
  method: "GET",
  path: "/api/v1/streams/{stream_id}/email_address",
  access: "account",
  summary: "Get a channel's e-mail address",
  example: { refused: [400, "this server has no mail gateway"] },
  description: "Always refused: this server has no mail gateway.",
  pathParams: { stream_id: path.int() },
  result: { email: z.string() },
});

/** `GET /users/{user_id}/channels` (channels.md §7). */
export const getUserChannels = operation({
  id: "get-user-channels",
  method: "GET",
  path: "/api/v1/users/{user_id}/channels",
  access: "account",
  summary: "List the channels that a user is subscribed to",
  description:
    "Active channels whose metadata the caller may see. Deactivated users have no subscriptions.",
  pathParams: { user_id: path.int() },
  result: { subscribed_channel_ids: z.array(z.int()) },
});

/** `POST /channels/create` (channels.md §4). */
export const createChannel = operation({
  id: "create-channel",
  method: "POST",
  path: "/api/v1/channels/create",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Create a channel",
  example: { params: { name: "design $RANDOM", subscribers: [6] } },
  description: "The creator is subscribed only if listed.",
  params: {
    name: form.text().describe("At most `max_stream_name_length` characters."),
    description: form
      .text()
      .default("")
      .describe("Markdown; at most `max_stream_description_length` characters."),
    subscribers: form
      .json(z.array(shape.id), { maxItems: maxAccounts })
      .describe("IDs of active users and bots, at most 10,000."),
    ...creationParameters,
  },
  result: { id: z.int() },
  errors: ["CHANNEL_ALREADY_EXISTS", "SYSTEM_GROUP_REQUIRED", "UNAUTHORIZED_PRINCIPAL"],
});

/** `PATCH /streams/{stream_id}` (channels.md §5). */
export const updateChannel = operation({
  id: "update-channel",
  method: "PATCH",
  path: "/api/v1/streams/{stream_id}",
  access: "account",
  summary: "Update a channel",
  example: { as: "owner", params: { description: "For everything else" } },
  description:
    "For administrators of the channel. The change is atomic. Archived channels can be changed, too.",
  pathParams: { stream_id: path.int() },
  params: {
    description: form
      .text()
      .optional()
      .describe("Markdown; at most `max_stream_description_length` characters."),
    new_name: form.text().optional().describe("At most `max_stream_name_length` characters."),
    is_private: form
      .bool()
      .optional()
      .describe("By default, the history of a private channel is protected."),
    is_web_public: form.bool().optional(),
    history_public_to_subscribers: form
      .bool()
      .optional()
      .describe("Cannot be false for channels that are not private."),
    is_default_stream: form
      .bool()
      .optional()
      .describe("Whether new members are subscribed to it. For administrators."),
    message_retention_days: form
      .intOr(["realm_default", "unlimited"], { min: 1, max: maxId })
      .optional()
      .describe("For owners."),
    is_archived: form
      .bool()
      .optional()
      .describe("`false` unarchives the channel; `true` has no effect."),
    folder_id: form
      .json(shape.id.nullable())
      .optional()
      .describe("`null` takes the channel out of its folder."),
    topics_policy: form
      .oneOfOrJson(...topicsPolicies)
      .optional()
      .describe("`empty_topic_only` is allowed only while no message has another topic."),
    ...groupSettingUpdateParameters(channelPermissions),
  },
  errors: [
    "CHANNEL_ALREADY_EXISTS",
    "CANNOT_ADMINISTER_CHANNEL",
    "EXPECTATION_MISMATCH",
    "UNAUTHORIZED_PRINCIPAL",
  ],
});

/** `DELETE /streams/{stream_id}` (channels.md §8). */
export const archiveChannel = operation({
  id: "archive-channel",
  method: "DELETE",
  path: "/api/v1/streams/{stream_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Archive a channel",
  example: { made: { STREAM_ID: ["create-channel", "id"] }, path: { stream_id: "$STREAM_ID" } },
  description:
    "Its messages stay, its name stays in use, and it accepts no new messages. For administrators of the channel.",
  pathParams: { stream_id: path.int() },
  errors: ["CANNOT_ADMINISTER_CHANNEL"],
});
