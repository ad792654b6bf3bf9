import {
  about,
  bool,
  channelId,
  daysOrUnlimited,
  int,
  intOf,
  language,
  type OrganizationSetting,
  ownersOnly,
  secondsOrUnlimited,
  text,
  textOf,
  urlOrDefault,
} from "./organization-setting.ts";

/**
 * Every setting of an organization that is not a permission of groups, declared once by its name on the wire (users.md
 * §5.1): its parameter, column, initial value and who may change it. `PATCH /realm` and its reference page, the event,
 * the audit entries and the snapshot (`realm_` and the name) follow from this table.
 */
export const organizationSettings = {
  name: text(undefined, { max: 40, required: true }),
  description: text("", { max: 1_000 }),
  // Who gets in.
  invite_required: ownersOnly(bool(true)),
  emails_restricted_to_domains: about(
    "Needs at least one domain (`POST /realm/domains`).",
    ownersOnly(bool(false)),
  ),
  disallow_disposable_email_addresses: ownersOnly(bool(true)),
  waiting_period_threshold: about(
    "Days until a new member counts as a full one.",
    ownersOnly(int(0)),
  ),
  require_unique_names: bool(false),
  name_changes_disabled: bool(false),
  email_changes_disabled: bool(false),
  avatar_changes_disabled: bool(false),
  default_language: language("en"),
  welcome_message_custom_text: text("", { max: 8_000 }),
  send_welcome_emails: bool(true),
  // Messages and topics.
  allow_message_editing: bool(true),
  message_content_edit_limit_seconds: secondsOrUnlimited(600),
  message_content_delete_limit_seconds: secondsOrUnlimited(600),
  move_messages_within_stream_limit_seconds: secondsOrUnlimited(604_800),
  move_messages_between_streams_limit_seconds: secondsOrUnlimited(604_800),
  message_edit_history_visibility_policy: textOf("all", ["all", "moves", "none"]),
  topics_policy: textOf("allow_empty_topic", ["allow_empty_topic", "disable_empty_topic"]),
  message_retention_days: about(
    "For direct messages, and for channels without their own setting.",
    ownersOnly(daysOrUnlimited()),
  ),
  enable_read_receipts: bool(true),
  send_channel_events_messages: bool(true),
  new_stream_announcements_stream_id: channelId("new_stream_announcements_channel_id"),
  signup_announcements_stream_id: channelId("signup_announcements_channel_id"),
  zulip_update_announcements_stream_id: channelId("zulip_update_announcements_channel_id"),
  moderation_request_channel_id: channelId("moderation_request_channel_id"),
  // Contents that leave the server.
  require_e2ee_push_notifications: bool(false),
  message_content_allowed_in_email_notifications: bool(true),
  // Kept for clients.
  default_code_block_language: text("", { max: 60 }),
  digest_emails_enabled: bool(false),
  digest_weekday: int(1, { max: 6 }),
  enable_guest_user_indicator: bool(true),
  enable_guest_user_dm_warning: bool(true),
  inline_image_preview: bool(true),
  inline_url_embed_preview: bool(false),
  org_type: intOf(0, [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000]),
  video_chat_provider: intOf(0, [0, 1]),
  jitsi_server_url: urlOrDefault({ max: 200 }),
  gif_rating_policy: int(2, { max: 5 }),
  media_preview_size: intOf(100, [100, 150, 200]),
  default_avatar_source: textOf("G", ["G", "J"]),
} as const;

export type OrganizationSettingName = keyof typeof organizationSettings;

/** The values of an organization's settings, by their names on the wire. */
export type OrganizationSettings = {
  readonly [
    Name in OrganizationSettingName
  ]: (typeof organizationSettings)[Name] extends OrganizationSetting<infer T> ? T : never;
};

/** Settings that a request changes; undefined for no change. */
export type OrganizationSettingChanges = {
  readonly [Name in OrganizationSettingName]?: OrganizationSettings[Name] | undefined;
};

/** Every setting with its name. */
export const namedOrganizationSettings = Object.entries(organizationSettings) as ReadonlyArray<
  readonly [OrganizationSettingName, OrganizationSetting]
>;

/** Returns the initial values of a new organization, without the settings whose value the creation requires. */
export function initialOrganizationSettings(): Partial<OrganizationSettings> {
  return Object.fromEntries(
    namedOrganizationSettings
      .filter(([, { initial }]) => initial !== undefined)
      .map(([name, { initial }]) => [name, initial]),
  );
}

/**
 * Returns the properties that older clients read under other names, by the property names of `realm` events. Contains only
 * those that follow from the given settings. The snapshot adds the prefix `realm_`.
 */
export function legacySettings({
  message_edit_history_visibility_policy: history,
  topics_policy: topics,
  gif_rating_policy: gifs,
}: OrganizationSettingChanges): Readonly<Record<string, boolean | number>> {
  return {
    ...(history === undefined ? {} : { allow_edit_history: history !== "none" }),
    ...(topics === undefined ? {} : { mandatory_topics: topics === "disable_empty_topic" }),
    ...(gifs === undefined ? {} : { giphy_rating: gifs }),
  };
}
