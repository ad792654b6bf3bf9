import { form } from "../form.ts";
import { maxId } from "../ids.ts";
import { groupSettingParameters } from "../permissions/parameters.ts";
import { channelPermissions } from "../permissions/registry.ts";
import { topicsPolicies } from "./topics-policies.ts";

/** What a new channel is to be like: parameters of both operations that can create one (channels.md §4). */
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
      "Always true for channels that are not private; false by default for those that are.",
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
