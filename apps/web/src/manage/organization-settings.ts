import type { UpdateRealmParams } from "@carillon/client";
import { texts } from "../texts.ts";

const t = texts.organization.settings;

export type SettingName = keyof typeof t.names;

/**
 * How a setting is edited. `seconds` and `days` have a value for "unlimited"; `channel` has one for none; `group` is a
 * permission; `methods` are the ways to sign in, which have a field of their own.
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
  | "methods"
  | {
      readonly choices: ReadonlyArray<{ readonly value: string | number; readonly label: string }>;
    };

export interface Setting {
  readonly name: SettingName;
  readonly kind: SettingKind;
}

/** A setting that has a single value and a single input. */
export interface OneValueSetting extends Setting {
  readonly kind: Exclude<SettingKind, "methods">;
}

export interface SettingSection {
  readonly title: string;
  readonly settings: Readonly<Partial<Record<SettingName, SettingKind>>>;
}

const choices = <Value extends string | number>(labels: Readonly<Record<Value, string>>) => ({
  choices: Object.entries<string>(labels).map(([value, label]) => ({ value, label })),
});
/** The values are numbers on the wire, and keys of the labels are texts. */
const numbers = (labels: Readonly<Record<number, string>>) => ({
  choices: Object.entries(labels).map(([value, label]) => ({ value: Number(value), label })),
});

/** All settings that `PATCH /realm` takes, as the page groups them. */
export const settingSections: readonly SettingSection[] = [
  {
    title: t.sections.profile,
    settings: {
      name: "text",
      description: "long-text",
      org_type: numbers(t.organizationTypes),
      default_language: "text",
    },
  },
  {
    title: t.sections.joining,
    settings: {
      authentication_methods: "methods",
      invite_required: "boolean",
      can_invite_users_group: "group",
      create_multiuse_invite_group: "group",
      emails_restricted_to_domains: "boolean",
      disallow_disposable_email_addresses: "boolean",
      waiting_period_threshold: "number",
      welcome_message_custom_text: "long-text",
      send_welcome_emails: "boolean",
    },
  },
  {
    title: t.sections.people,
    settings: {
      require_unique_names: "boolean",
      name_changes_disabled: "boolean",
      email_changes_disabled: "boolean",
      avatar_changes_disabled: "boolean",
      default_avatar_source: choices(t.avatarSources),
      can_access_all_users_group: "group",
      enable_guest_user_indicator: "boolean",
      enable_guest_user_dm_warning: "boolean",
    },
  },
  {
    title: t.sections.messages,
    settings: {
      allow_message_editing: "boolean",
      message_content_edit_limit_seconds: "seconds",
      message_edit_history_visibility_policy: choices(t.historyPolicies),
      can_delete_any_message_group: "group",
      can_delete_own_message_group: "group",
      message_content_delete_limit_seconds: "seconds",
      can_set_delete_message_policy_group: "group",
      message_retention_days: "days",
      enable_read_receipts: "boolean",
      can_mention_many_users_group: "group",
      direct_message_initiator_group: "group",
      direct_message_permission_group: "group",
      default_code_block_language: "text",
      inline_image_preview: "boolean",
      inline_url_embed_preview: "boolean",
      media_preview_size: numbers(t.previewSizes),
    },
  },
  {
    title: t.sections.topics,
    settings: {
      topics_policy: choices(t.topicsPolicies),
      can_set_topics_policy_group: "group",
      can_move_messages_between_topics_group: "group",
      move_messages_within_stream_limit_seconds: "seconds",
      can_move_messages_between_channels_group: "group",
      move_messages_between_streams_limit_seconds: "seconds",
      can_resolve_topics_group: "group",
      can_summarize_topics_group: "group",
    },
  },
  {
    title: t.sections.channels,
    settings: {
      can_create_public_channel_group: "group",
      can_create_private_channel_group: "group",
      can_create_web_public_channel_group: "group",
      can_add_subscribers_group: "group",
      send_channel_events_messages: "boolean",
      new_stream_announcements_stream_id: "channel",
      signup_announcements_stream_id: "channel",
      zulip_update_announcements_stream_id: "channel",
      moderation_request_channel_id: "channel",
    },
  },
  {
    title: t.sections.groups,
    settings: {
      can_create_groups: "group",
      can_manage_all_groups: "group",
      can_create_bots_group: "group",
      can_create_write_only_bots_group: "group",
      can_add_custom_emoji_group: "group",
    },
  },
  {
    title: t.sections.notifications,
    settings: {
      message_content_allowed_in_email_notifications: "boolean",
      require_e2ee_push_notifications: "boolean",
      digest_emails_enabled: "boolean",
      digest_weekday: numbers(Object.values(texts.schedule.weekdays)),
    },
  },
  {
    title: t.sections.calls,
    settings: {
      video_chat_provider: numbers(t.callProviders),
      jitsi_server_url: "text",
      gif_rating_policy: "number",
    },
  },
];

/** Settings that only owners may change. */
const ownersOnly: ReadonlySet<SettingName> = new Set<SettingName>([
  "authentication_methods",
  "invite_required",
  "can_invite_users_group",
  "create_multiuse_invite_group",
  "emails_restricted_to_domains",
  "disallow_disposable_email_addresses",
  "waiting_period_threshold",
  "message_retention_days",
  "can_create_groups",
  "can_manage_all_groups",
]);

/** Returns whether only owners may change a setting. */
export function isForOwners(name: SettingName): boolean {
  return ownersOnly.has(name);
}

/**
 * Returns the parameter of `PATCH /realm` that sets a field's text. Unlimited times are empty fields.
 * @param before the value that the store has, which group-valued settings name
 */
export function changeOf(
  { name, kind }: OneValueSetting,
  text: string,
  before: unknown,
): UpdateRealmParams {
  return { [name]: valueOf(kind, text, before) };
}

function valueOf(kind: OneValueSetting["kind"], text: string, before: unknown): unknown {
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
