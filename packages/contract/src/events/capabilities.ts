/** What a client may say of itself at registration (events.md §1.1): each makes its events and snapshot newer. */
export const clientCapabilities = [
  "notification_settings_null",
  "bulk_message_deletion",
  "user_avatar_url_field_optional",
  "stream_typing_notifications",
  "linkifier_url_template",
  "user_list_incomplete",
  "include_deactivated_groups",
  "archived_channels",
  "empty_topic_name",
  "simplified_presence_events",
  "individual_emoji_changes",
] as const;

export type ClientCapability = (typeof clientCapabilities)[number];
