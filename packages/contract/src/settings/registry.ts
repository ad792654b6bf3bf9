/**
 * Every personal setting, declared once (settings-and-profile-fields.md §1.1): its type, its allowed values and its
 * initial value. The defaults of an organization, new accounts, the operations that change settings and the register
 * answer all read this table.
 */
export interface PersonalSetting<T extends boolean | number | string = boolean | number | string> {
  /** The initial default of a new organization. */
  readonly initial: T;
  /** If given, other values are refused. */
  readonly allowed?: readonly T[];
  /** The range of a number, both ends included. */
  readonly range?: { readonly min: number; readonly max: number };
  /** Whether an organization has a default of it, which is copied to new accounts. */
  readonly realmDefault: boolean;
  /** Only the account itself changes it: it decides what others see of the account, or which mail it gets. */
  readonly private?: true;
}

type Options<T extends boolean | number | string> = Pick<PersonalSetting<T>, "allowed" | "range">;

function bool(initial: boolean): PersonalSetting<boolean> {
  return { initial, realmDefault: true };
}

function int(initial: number, options: Options<number>): PersonalSetting<number> {
  return { initial, realmDefault: true, ...options };
}

function text(initial: string, allowed: readonly string[]): PersonalSetting<string> {
  return { initial, allowed, realmDefault: true };
}

/** Declares a setting without a default in the organization. */
function personal<T extends boolean | number | string>(
  setting: PersonalSetting<T>,
): PersonalSetting<T> {
  return { ...setting, realmDefault: false };
}

/** Declares a setting that administrators cannot change for others. */
function ownOnly<T extends boolean | number | string>(
  setting: PersonalSetting<T>,
): PersonalSetting<T> {
  return { ...setting, private: true };
}

const threeWays = { allowed: [1, 2, 3] };
const fourWays = { allowed: [1, 2, 3, 4] };

/** Sounds that a client can play for a notification. */
export const notificationSounds: readonly string[] = (
  "ascend,beep_boop,bink,bright,brlip,chime,deep tom,ding,double tap,down,dry bongos,dutdut,fast ascend,flute," +
  "friendly,kick roll,loud tintong,metallic snare,pan,shaker,simple,stairs,subtle,swish,tintong,up,wood block," +
  "zaping,zing,zulip"
).split(",");

/** By their wire names. */
export const personalSettings = {
  starred_message_counts: bool(true),
  receives_typing_notifications: bool(true),
  web_suggest_update_timezone: bool(true),
  enable_drafts_synchronization: bool(true),
  display_emoji_reaction_users: bool(true),
  web_escape_navigates_to_home_view: bool(true),
  web_inbox_show_channel_folders: bool(true),
  web_left_sidebar_show_channel_folders: bool(true),
  web_left_sidebar_unreads_count_summary: bool(true),
  web_navigate_to_sent_message: bool(true),
  enable_desktop_notifications: bool(true),
  enable_sounds: bool(true),
  enable_followed_topic_desktop_notifications: bool(true),
  enable_followed_topic_email_notifications: bool(true),
  enable_followed_topic_push_notifications: bool(true),
  enable_followed_topic_audible_notifications: bool(true),
  enable_followed_topic_wildcard_mentions_notify: bool(true),
  enable_offline_email_notifications: bool(true),
  enable_offline_push_notifications: bool(true),
  enable_online_push_notifications: bool(true),
  enable_digest_emails: ownOnly(bool(true)),
  message_content_in_email_notifications: bool(true),
  pm_content_in_desktop_notifications: bool(true),
  wildcard_mentions_notify: bool(true),
  automatically_follow_topics_where_mentioned: bool(true),
  presence_enabled: ownOnly(bool(true)),
  send_private_typing_notifications: ownOnly(bool(true)),
  send_stream_typing_notifications: ownOnly(bool(true)),
  send_read_receipts: ownOnly(bool(true)),
  fluid_layout_width: bool(false),
  high_contrast_mode: bool(false),
  translate_emoticons: bool(false),
  left_side_userlist: bool(false),
  hide_ai_features: bool(false),
  enable_stream_desktop_notifications: bool(false),
  enable_stream_email_notifications: bool(false),
  enable_stream_push_notifications: bool(false),
  enable_stream_audible_notifications: bool(false),
  enter_sends: bool(false),
  twenty_four_hour_time: bool(false),
  web_channel_default_view: int(1, fourWays),
  web_font_size_px: int(16, { range: { min: 1, max: 1000 } }),
  web_line_height_percent: int(140, { range: { min: 1, max: 1000 } }),
  color_scheme: int(1, threeWays),
  web_home_view: text("inbox", ["recent", "inbox", "all_messages"]),
  emojiset: text("google", ["google", "twitter", "text"]),
  demote_inactive_streams: int(1, threeWays),
  user_list_style: int(3, threeWays),
  web_animate_image_previews: text("on_hover", ["always", "on_hover", "never"]),
  web_stream_unreads_count_display_policy: int(2, threeWays),
  web_mark_read_on_scroll_policy: int(1, threeWays),
  notification_sound: text("zulip", [...notificationSounds, "none"]),
  email_notifications_batching_period_seconds: int(120, { range: { min: 1, max: 604_800 } }),
  desktop_icon_count_display: int(1, fourWays),
  realm_name_in_email_notifications_policy: int(1, threeWays),
  automatically_follow_topics_policy: int(3, fourWays),
  automatically_unmute_topics_in_muted_streams_policy: int(2, fourWays),
  resolved_topic_notice_auto_read_policy: text("except_followed", [
    "always",
    "except_followed",
    "never",
  ]),
  email_address_visibility: ownOnly(int(1, { allowed: [1, 2, 3, 4, 5] })),
  enable_login_emails: ownOnly(personal(bool(true))),
  enable_marketing_emails: ownOnly(personal(bool(false))),
  allow_private_data_export: ownOnly(personal(bool(false))),
} as const;

export type SettingName = keyof typeof personalSettings;
export type SettingValue<Name extends SettingName> = (typeof personalSettings)[Name]["initial"];

/** Returns the initial defaults of a new organization. */
export function initialDefaults(): Record<string, boolean | number | string> {
  return Object.fromEntries(
    Object.entries<PersonalSetting>(personalSettings)
      .filter(([, { realmDefault }]) => realmDefault)
      .map(([name, { initial }]) => [name, initial]),
  );
}
