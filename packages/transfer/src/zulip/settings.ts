import type { Row } from "./row.ts";

/** Columns of an organization that have the same name and values. */
const realmColumns = {
  boolean: [
    "name_changes_disabled",
    "email_changes_disabled",
    "avatar_changes_disabled",
    "send_channel_events_messages",
    "enable_read_receipts",
    "allow_message_editing",
    "invite_required",
    "emails_restricted_to_domains",
    "disallow_disposable_email_addresses",
    "message_content_allowed_in_email_notifications",
    "digest_emails_enabled",
    "enable_guest_user_indicator",
    "enable_guest_user_dm_warning",
    "send_welcome_emails",
    "inline_image_preview",
    "inline_url_embed_preview",
    "require_unique_names",
  ],
  number: [
    "waiting_period_threshold",
    "message_retention_days",
    "message_content_edit_limit_seconds",
    "message_content_delete_limit_seconds",
    "move_messages_within_stream_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "digest_weekday",
    "org_type",
  ],
  string: ["default_language", "default_code_block_language", "welcome_message_custom_text"],
} as const;

/** Columns that are null for no limit. */
const nullable = new Set<string>([
  "message_content_edit_limit_seconds",
  "message_content_delete_limit_seconds",
  "move_messages_within_stream_limit_seconds",
  "move_messages_between_streams_limit_seconds",
]);

const realmGroups = [
  "can_create_public_channel_group",
  "can_create_private_channel_group",
  "can_create_web_public_channel_group",
  "can_add_subscribers_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_between_channels_group",
  "can_move_messages_between_topics_group",
  "can_resolve_topics_group",
  "can_set_topics_policy_group",
  "can_set_delete_message_policy_group",
  "can_access_all_users_group",
  "can_create_bots_group",
  "can_create_write_only_bots_group",
  "can_add_custom_emoji_group",
  "can_mention_many_users_group",
  "can_invite_users_group",
  "create_multiuse_invite_group",
  "direct_message_initiator_group",
  "direct_message_permission_group",
  "can_summarize_topics_group",
  "can_manage_all_groups",
  "can_create_groups",
];

const channelGroups = [
  "can_add_subscribers_group",
  "can_administer_channel_group",
  "can_create_topic_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_remove_subscribers_group",
  "can_resolve_topics_group",
  "can_send_message_group",
  "can_subscribe_group",
];

const groupGroups = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
];

/** Numbers of `topics_policy`. */
const topicsPolicies: ReadonlyMap<number, string> = new Map([
  [1, "inherit"],
  [2, "allow_empty_topic"],
  [3, "disable_empty_topic"],
  [4, "empty_topic_only"],
]);

type Settings = Readonly<Record<string, unknown>>;

export function realmSettings(row: Row, groups: ReadonlySet<number>): Settings {
  const settings: Record<string, unknown> = {};
  for (const [type, names] of Object.entries(realmColumns))
    for (const name of names) {
      const value = row.value(name);
      if (typeof value === type || (value === null && nullable.has(name))) settings[name] = value;
    }
  // -1 stands for no limit.
  if (settings["message_retention_days"] === -1) delete settings["message_retention_days"];
  const policy = topicsPolicyOf(row);
  return {
    ...settings,
    ...(policy !== undefined && policy !== "inherit" && { topics_policy: policy }),
    ...groupSettings(row, realmGroups, groups),
  };
}

export function channelSettings(row: Row, groups: ReadonlySet<number>): Settings {
  const policy = topicsPolicyOf(row);
  const retention = row.maybeNumber("message_retention_days");
  return {
    ...(policy !== undefined && { topics_policy: policy }),
    ...(retention !== undefined && { message_retention_days: retention }),
    ...groupSettings(row, channelGroups, groups),
  };
}

export function userGroupSettings(row: Row, groups: ReadonlySet<number>): Settings {
  return groupSettings(row, groupGroups, groups);
}

function topicsPolicyOf(row: Row): string | undefined {
  const policy = row.maybeNumber("topics_policy");
  return policy === undefined ? undefined : topicsPolicies.get(policy);
}

/** Returns settings whose values are groups, as far as the groups are in the export. */
function groupSettings(row: Row, names: readonly string[], groups: ReadonlySet<number>): Settings {
  return Object.fromEntries(
    names.flatMap((name) => {
      const group = row.maybeNumber(name);
      return group !== undefined && groups.has(group) ? [[`${name}_id`, group]] : [];
    }),
  );
}
