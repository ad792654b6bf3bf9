import type { UpdateRealmParams } from "@carillon/client";
import { texts } from "../texts.ts";

const t = texts.organization.settings;

export type SettingName = keyof typeof t.names;

/**
 * How a setting is edited. `seconds` and `days` have a value for "unlimited"; `channel` has one for none; `group` is a
 * permission.
 */
export type SettingKind =
  | "boolean"
  | "text"
  | "long-text"
  | "number"
  | "seconds"
  | "days"
  | "channel"
  | "group"
  | {
      readonly choices: ReadonlyArray<{ readonly value: string | number; readonly label: string }>;
    };

export interface Setting {
  readonly name: SettingName;
  readonly kind: SettingKind;
  /** Only owners may change it. */
  readonly forOwners?: true;
}

export interface SettingSection {
  readonly title: string;
  readonly settings: readonly Setting[];
}

const choices = <Value extends string | number>(labels: Readonly<Record<Value, string>>) => ({
  choices: Object.entries<string>(labels).map(([value, label]) => ({ value, label })),
});
/** The values are numbers on the wire, and keys of the labels are texts. */
const numbers = (labels: Readonly<Record<number, string>>) => ({
  choices: Object.entries(labels).map(([value, label]) => ({ value: Number(value), label })),
});
const forOwners = true;

/** All settings that `PATCH /realm` takes, as the page groups them. */
export const settingSections: readonly SettingSection[] = [
  {
    title: t.sections.profile,
    settings: [
      { name: "name", kind: "text" },
      { name: "description", kind: "long-text" },
      { name: "org_type", kind: numbers(t.organizationTypes) },
      { name: "default_language", kind: "text" },
    ],
  },
  {
    title: t.sections.joining,
    settings: [
      { name: "invite_required", kind: "boolean", forOwners },
      { name: "can_invite_users_group", kind: "group", forOwners },
      { name: "create_multiuse_invite_group", kind: "group", forOwners },
      { name: "emails_restricted_to_domains", kind: "boolean", forOwners },
      { name: "disallow_disposable_email_addresses", kind: "boolean", forOwners },
      { name: "waiting_period_threshold", kind: "number", forOwners },
      { name: "welcome_message_custom_text", kind: "long-text" },
      { name: "send_welcome_emails", kind: "boolean" },
    ],
  },
  {
    title: t.sections.people,
    settings: [
      { name: "require_unique_names", kind: "boolean" },
      { name: "name_changes_disabled", kind: "boolean" },
      { name: "email_changes_disabled", kind: "boolean" },
      { name: "avatar_changes_disabled", kind: "boolean" },
      { name: "default_avatar_source", kind: choices(t.avatarSources) },
      { name: "can_access_all_users_group", kind: "group" },
      { name: "enable_guest_user_indicator", kind: "boolean" },
      { name: "enable_guest_user_dm_warning", kind: "boolean" },
    ],
  },
  {
    title: t.sections.messages,
    settings: [
      { name: "allow_message_editing", kind: "boolean" },
      { name: "message_content_edit_limit_seconds", kind: "seconds" },
      { name: "message_edit_history_visibility_policy", kind: choices(t.historyPolicies) },
      { name: "can_delete_any_message_group", kind: "group" },
      { name: "can_delete_own_message_group", kind: "group" },
      { name: "message_content_delete_limit_seconds", kind: "seconds" },
      { name: "can_set_delete_message_policy_group", kind: "group" },
      { name: "message_retention_days", kind: "days", forOwners },
      { name: "enable_read_receipts", kind: "boolean" },
      { name: "can_mention_many_users_group", kind: "group" },
      { name: "default_code_block_language", kind: "text" },
      { name: "inline_image_preview", kind: "boolean" },
      { name: "inline_url_embed_preview", kind: "boolean" },
      { name: "media_preview_size", kind: numbers(t.previewSizes) },
    ],
  },
  {
    title: t.sections.topics,
    settings: [
      { name: "topics_policy", kind: choices(t.topicsPolicies) },
      { name: "can_set_topics_policy_group", kind: "group" },
      { name: "can_move_messages_between_topics_group", kind: "group" },
      { name: "move_messages_within_stream_limit_seconds", kind: "seconds" },
      { name: "can_move_messages_between_channels_group", kind: "group" },
      { name: "move_messages_between_streams_limit_seconds", kind: "seconds" },
      { name: "can_resolve_topics_group", kind: "group" },
      { name: "can_summarize_topics_group", kind: "group" },
    ],
  },
  {
    title: t.sections.channels,
    settings: [
      { name: "can_create_public_channel_group", kind: "group" },
      { name: "can_create_private_channel_group", kind: "group" },
      { name: "can_create_web_public_channel_group", kind: "group" },
      { name: "can_add_subscribers_group", kind: "group" },
      { name: "send_channel_events_messages", kind: "boolean" },
      { name: "new_stream_announcements_stream_id", kind: "channel" },
      { name: "signup_announcements_stream_id", kind: "channel" },
      { name: "zulip_update_announcements_stream_id", kind: "channel" },
      { name: "moderation_request_channel_id", kind: "channel" },
    ],
  },
  {
    title: t.sections.groups,
    settings: [
      { name: "can_create_groups", kind: "group", forOwners },
      { name: "can_manage_all_groups", kind: "group", forOwners },
      { name: "can_create_bots_group", kind: "group" },
      { name: "can_create_write_only_bots_group", kind: "group" },
      { name: "can_add_custom_emoji_group", kind: "group" },
    ],
  },
  {
    title: t.sections.notifications,
    settings: [
      { name: "message_content_allowed_in_email_notifications", kind: "boolean" },
      { name: "require_e2ee_push_notifications", kind: "boolean" },
      { name: "digest_emails_enabled", kind: "boolean" },
      { name: "digest_weekday", kind: numbers(t.weekdays) },
    ],
  },
  {
    title: t.sections.calls,
    settings: [
      { name: "video_chat_provider", kind: numbers(t.callProviders) },
      { name: "jitsi_server_url", kind: "text" },
      { name: "gif_rating_policy", kind: "number" },
    ],
  },
];

/**
 * Returns the parameter of `PATCH /realm` that sets a field's text. Unlimited times are empty fields.
 * @param before the value that the store has, which group-valued settings name
 */
export function changeOf(
  { name, kind }: Setting,
  text: string,
  before: unknown,
): UpdateRealmParams {
  return { [name]: valueOf(kind, text, before) };
}

function valueOf(kind: SettingKind, text: string, before: unknown): unknown {
  switch (kind) {
    case "boolean":
      return text === "true";
    case "text":
    case "long-text":
      return text;
    case "seconds":
    case "days":
      return text === "" ? "unlimited" : Number(text);
    case "number":
    case "channel":
      return Number(text);
    case "group":
      return { new: Number(text), old: before };
    default:
      return kind.choices.find(({ value }) => String(value) === text)?.value;
  }
}
