/**
 * Capabilities that a client may declare at registration (events.md §1.1): each selects newer forms of events and
 * snapshot.
 */
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
