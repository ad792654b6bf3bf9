import * as z from "zod";
import { groupSettingFields } from "../permissions/parameters.ts";
import { channelPermissions } from "../permissions/registry.ts";

/** Which topics a channel may have; `inherit`: as the organization's setting (channels.md §1). */
export const topicsPolicies = [
  "inherit",
  "allow_empty_topic",
  "disable_empty_topic",
  "empty_topic_only",
] as const;

export type TopicsPolicy = (typeof topicsPolicies)[number];

/** Boolean properties of a subscription, by their names in requests. */
export const subscriptionSwitches = [
  "is_muted",
  "in_home_view",
  "pin_to_top",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const;

/** The fields of a channel as clients see it (channels.md §1). */
export const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  description: z.string(),
  rendered_description: z.string(),
  /** UNIX seconds */
  date_created: z.int(),
  creator_id: z.int().nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  is_archived: z.boolean(),
  folder_id: z.int().nullable(),
  first_message_id: z.int().nullable(),
  /** null: the organization's default; −1: for ever */
  message_retention_days: z.int().nullable(),
  topics_policy: z.string(),
  is_recently_active: z.boolean(),
  subscriber_count: z.int(),
  stream_weekly_traffic: z.int().nullable(),
  stream_post_policy: z.int(),
  is_announcement_only: z.boolean(),
  ...groupSettingFields(channelPermissions),
  /** Only if asked for. */
  is_default: z.boolean().optional(),
};

export const channelObject = z.strictObject(channelFields);
export type ChannelObject = z.infer<typeof channelObject>;

/** A channel with its subscriber's settings for it; null inherits the account's settings. */
export const subscriptionObject = z.strictObject({
  ...channelFields,
  color: z.string(),
  is_muted: z.boolean(),
  in_home_view: z.boolean(),
  pin_to_top: z.boolean(),
  desktop_notifications: z.boolean().nullable(),
  audible_notifications: z.boolean().nullable(),
  push_notifications: z.boolean().nullable(),
  email_notifications: z.boolean().nullable(),
  wildcard_mentions_notify: z.boolean().nullable(),
  /** Only if asked for: IDs of active accounts. */
  subscribers: z.array(z.int()).optional(),
});
export type SubscriptionObject = z.infer<typeof subscriptionObject>;
