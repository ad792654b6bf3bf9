// Generated from packages/contract; do not edit.

import type { CallOptions } from "../call-options.ts";

/** All error codes of the server. */
export type ErrorCode =
  | "BAD_REQUEST"
  | "REQUEST_VARIABLE_MISSING"
  | "REQUEST_CONFUSING_VAR"
  | "UNAUTHORIZED"
  | "INVALID_API_KEY"
  | "UNAUTHORIZED_PRINCIPAL"
  | "PERMISSION_DENIED"
  | "RATE_LIMIT_HIT"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TOO_LARGE"
  | "REALM_UPLOAD_QUOTA"
  | "BAD_IMAGE"
  | "INTERNAL_ERROR"
  | "IDEMPOTENCY_KEY_REUSED"
  | "IDEMPOTENCY_KEY_IN_USE"
  | "AUTHENTICATION_FAILED"
  | "USER_DEACTIVATED"
  | "REALM_DEACTIVATED"
  | "ORGANIZATION_READ_ONLY"
  | "PASSWORD_RESET_REQUIRED"
  | "PASSWORD_AUTH_DISABLED"
  | "STREAM_DOES_NOT_EXIST"
  | "CHANNEL_ALREADY_EXISTS"
  | "CANNOT_ADMINISTER_CHANNEL"
  | "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
  | "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
  | "BAD_NARROW"
  | "REACTION_ALREADY_EXISTS"
  | "REACTION_DOES_NOT_EXIST"
  | "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
  | "BAD_EVENT_QUEUE_ID"
  | "EXPECTATION_MISMATCH"
  | "SYSTEM_GROUP_REQUIRED"
  | "CANNOT_DEACTIVATE_GROUP_IN_USE"
  | "CANNOT_DEACTIVATE_LAST_USER"
  | "INVITATION_FAILED"
  | "UNSUPPORTED_WEBHOOK_EVENT_TYPE"
  | "MISSING_HTTP_EVENT_HEADER"
  | "PUSH_SERVICE_NOT_CONFIGURED"
  | "NO_ACTIVE_PUSH_DEVICE"
  | "FAILED_TO_CONNECT_BOUNCER"
  | "INTERNAL_SERVER_ERROR_ON_BOUNCER"
  | "ADMIN_ACTION_REQUIRED";

/** What every successful answer has. */
export interface Answer {
  result: "success";
  msg: string;
  /** Names of sent parameters that the server does not have; absent when there are none. */
  ignored_parameters_unsupported?: string[];
}

/** The parameters of an operation that has none. */
export type NoParams = Record<string, never>;

export interface SeriesOccurrence {
  occurrence: string;
  scheduled_delivery_timestamp: number;
  local_time: string;
}

export interface Attachment {
  id: number;
  name: string;
  path_id: string;
  size: number;
  create_time: number;
  message_ids: number[];
}

export interface Channel {
  stream_id: number;
  name: string;
  description: string;
  rendered_description: string;
  date_created: number;
  creator_id: number | null;
  invite_only: boolean;
  is_web_public: boolean;
  history_public_to_subscribers: boolean;
  is_archived: boolean;
  folder_id: number | null;
  first_message_id: number | null;
  message_retention_days: number | null;
  topics_policy: string;
  is_recently_active: boolean;
  subscriber_count: number;
  stream_weekly_traffic: number | null;
  stream_post_policy: number;
  is_announcement_only: boolean;
  can_add_subscribers_group: GroupSettingValue;
  can_administer_channel_group: GroupSettingValue;
  can_create_topic_group: GroupSettingValue;
  can_delete_any_message_group: GroupSettingValue;
  can_delete_own_message_group: GroupSettingValue;
  can_move_messages_out_of_channel_group: GroupSettingValue;
  can_move_messages_within_channel_group: GroupSettingValue;
  can_remove_subscribers_group: GroupSettingValue;
  can_resolve_topics_group: GroupSettingValue;
  can_send_message_group: GroupSettingValue;
  can_subscribe_group: GroupSettingValue;
  is_default?: boolean;
}

export type GroupSettingValue = number | {
  direct_members: number[];
  direct_subgroups: number[];
};

export interface Draft {
  id: number;
  type: "stream" | "private" | "";
  to: number[];
  topic: string;
  content: string;
  timestamp: number;
}

export type Invite = {
  id: number;
  invited_by_user_id: number;
  invited: number;
  expiry_date: number | null;
  invited_as: number;
  is_multiuse: false;
  email: string;
  notify_referrer_on_join: boolean;
} | {
  id: number;
  invited_by_user_id: number;
  invited: number;
  expiry_date: number | null;
  invited_as: number;
  is_multiuse: true;
  link_url: string;
};

export interface Message {
  id: number;
  type: "stream" | "private";
  stream_id?: number;
  subject: string;
  content: string;
  content_type: "text/html" | "text/x-markdown";
  timestamp: number;
  sender_id: number;
  sender_email: string;
  sender_full_name: string;
  sender_realm_str: string;
  avatar_url: string | null;
  client: string;
  recipient_id: number;
  display_recipient: string | {
    id: number;
    email: string;
    full_name: string;
    is_mirror_dummy: boolean;
  }[];
  is_me_message: boolean;
  flags: string[];
  reactions: {
    emoji_name: string;
    emoji_code: string;
    reaction_type: string;
    user_id: number;
    user?: {
      id: number;
      email: string;
      full_name: string;
    };
  }[];
  submessages: {
    id: number;
    message_id: number;
    sender_id: number;
    msg_type: string;
    content: string;
  }[];
  topic_links: {
    text: string;
    url: string;
  }[];
  last_edit_timestamp?: number;
  last_moved_timestamp?: number;
  edit_history?: ({
    user_id: number | null;
    timestamp: number;
    prev_content?: string;
    prev_rendered_content?: string;
    prev_stream?: number;
    stream?: number;
    prev_topic?: string;
    topic?: string;
  })[];
  match_content?: string;
  match_subject?: string;
}

export interface NavigationView {
  fragment: string;
  is_pinned: boolean;
  name: string | null;
}

export interface SavedSnippet {
  id: number;
  title: string;
  content: string;
  date_created: number;
}

export interface Status {
  status_text?: string;
  emoji_name?: string;
  emoji_code?: string;
  reaction_type?: string;
}

export interface User {
  user_id: number;
  email: string;
  delivery_email: string | null;
  full_name: string;
  role: number;
  is_active: boolean;
  is_bot: boolean;
  is_owner: boolean;
  is_admin: boolean;
  is_guest: boolean;
  is_imported_stub: boolean;
  timezone: string;
  date_joined: string;
  avatar_version: number;
  avatar_url: string | null;
  is_deleted?: true;
  is_system_bot?: true;
  bot_type?: number | null;
  bot_owner_id?: number | null;
  profile_data?: Record<string, {
    value: string;
    rendered_value?: string;
  }>;
}

export interface ChannelFolder {
  id: number;
  name: string;
  description: string;
  rendered_description: string;
  order: number;
  creator_id: number | null;
  date_created: number | null;
  is_archived: boolean;
}

export type Condition = {
  kind: "reply";
  by?: number[];
} | {
  kind: "topic_resolved";
} | {
  kind: "check_in";
  by?: number[];
  interval?: number;
};

export interface Domain {
  domain: string;
  allow_subdomains: boolean;
}

export interface Linkifier {
  id: number;
  pattern: string;
  url_template: string;
}

export interface MessageSeries {
  series_id: number;
  author_id: number;
  type: "stream" | "private";
  to: number | number[];
  topic?: string;
  content: string;
  start: string;
  timezone: string;
  rrule: string;
  excluded_dates: string[];
  template: boolean;
  unless: Condition[];
  catch_up_seconds: number;
  can_manage_group: GroupSettingValue;
  state: "active" | "paused" | "ended";
  paused_reason: "manual" | "failures" | "author_deactivated" | "rule" | null;
  next_occurrence: string | null;
  next_delivery_timestamp: number | null;
  next_scheduled_message_id: number | null;
  sent_count: number;
  consecutive_failures: number;
  version: number;
}

export interface ModernPresence {
  active_timestamp: number;
  idle_timestamp: number;
}

export interface WebsitePresence {
  client: string;
  status: "active" | "idle";
  timestamp: number;
  pushable: boolean;
}

export interface ProfileField {
  id: number;
  type: number;
  order: number;
  name: string;
  hint: string;
  field_data: string;
  required: boolean;
  editable_by_user: boolean;
  display_in_profile_summary?: true;
  use_for_user_matching?: true;
}

export interface Emoji {
  id: string;
  name: string;
  /** The address of the picture on this server. */
  source_url: string;
  /** The first frame of an animated emoji; null for others. */
  still_url: string | null;
  deactivated: boolean;
  author_id: number;
}

export interface Reminder {
  reminder_id: number;
  type: "private";
  to: number[];
  content: string;
  rendered_content: string;
  scheduled_delivery_timestamp: number;
  failed: boolean;
  reminder_target_message_id: number;
}

export interface ScheduledMessage {
  scheduled_message_id: number;
  type: "stream" | "private";
  to: number | number[];
  topic?: string;
  content: string;
  rendered_content: string;
  scheduled_delivery_timestamp: number;
  failed: boolean;
}

export interface SeriesRun {
  occurrence: string;
  outcome: "sent" | "failed" | "withheld" | "skipped" | "missed";
  message_id: number | null;
  reason: string | null;
}

export interface UserGroup {
  id: number;
  name: string;
  description: string;
  date_created: number | null;
  creator_id: number | null;
  members: number[];
  direct_subgroup_ids: number[];
  is_system_group: boolean;
  deactivated: boolean;
  can_add_members_group: GroupSettingValue;
  can_join_group: GroupSettingValue;
  can_leave_group: GroupSettingValue;
  can_manage_group: GroupSettingValue;
  can_mention_group: GroupSettingValue;
  can_remove_members_group: GroupSettingValue;
}

export interface WithheldMessage {
  scheduled_message_id: number;
  type: "stream" | "private";
  to: number | number[];
  topic?: string;
  content: string;
  scheduled_delivery_timestamp: number;
  withheld_timestamp: number;
  condition: Condition;
  message_id: number | null;
}

export interface Bot {
  user_id: number;
  services: BotService[];
  default_sending_stream: string | null;
  default_events_register_stream: string | null;
  default_all_public_streams: boolean;
}

export interface BotService {
  base_url: string;
  interface: number;
  token: string;
}

export interface EventMessage {
  id: number;
  type: "stream" | "private";
  stream_id?: number;
  subject: string;
  content: string;
  content_type: "text/html" | "text/x-markdown";
  timestamp: number;
  sender_id: number;
  sender_email: string;
  sender_full_name: string;
  sender_realm_str: string;
  avatar_url: string | null;
  client: string;
  recipient_id: number;
  display_recipient: string | {
    id: number;
    email: string;
    full_name: string;
    is_mirror_dummy: boolean;
  }[];
  is_me_message: boolean;
  reactions: {
    emoji_name: string;
    emoji_code: string;
    reaction_type: string;
    user_id: number;
    user?: {
      id: number;
      email: string;
      full_name: string;
    };
  }[];
  submessages: {
    id: number;
    message_id: number;
    sender_id: number;
    msg_type: string;
    content: string;
  }[];
  topic_links: {
    text: string;
    url: string;
  }[];
}

export interface AddAlertWordsParams {
  /** Words or phrases of at most 100 characters. Existing ones, compared without case, stay as they are. */
  readonly alert_words: readonly string[];
}

export interface AddAlertWordsResult extends Answer {
  alert_words: string[];
}

export interface AddApnsTokenParams {
  /** Hexadecimal digits, at most 4096, in upper or lower case. */
  readonly token: string;
  /** The app's bundle identifier: letters, digits, dots and hyphens. */
  readonly appid: string;
}

export interface AddDefaultChannelParams {
  readonly stream_id: number;
}

export interface AddDomainParams {
  /** Such as `example.com`. */
  readonly domain: string;
  /** Whether addresses of its subdomains are accepted as well. */
  readonly allow_subdomains: boolean;
}

export interface AddDomainResult extends Answer {
  /** The ID and the domain as it is stored. */
  new_domain: (number | string)[];
}

export interface AddFcmTokenParams {
  /** At most 4096 characters. */
  readonly token: string;
}

export interface AddNavigationViewParams {
  /** The view's URL hash, of at most 500 characters. */
  readonly fragment: string;
  /** Whether clients always show the view. */
  readonly is_pinned: boolean;
  /** At most 500 characters; required for a custom view, refused for a built-in one. */
  readonly name?: string | undefined;
}

export interface AddReactionParams {
  readonly message_id: number;
  /** A name of the emoji. */
  readonly emoji_name: string;
  /** Code of the emoji; the name's code unless given. */
  readonly emoji_code?: string | undefined;
  /** `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; the name's type unless given. */
  readonly reaction_type?: string | undefined;
}

export interface AddRealmEmojiParams {
  readonly emoji_name: string;
  /** Its `name`, if it has one, is sent along. */
  readonly file: Blob;
}

export interface AddSubmessageParams {
  readonly message_id: number;
  /** Kind of data; at most 100 characters. */
  readonly msg_type: string;
  /** JSON of at most 10000 characters. */
  readonly content: string;
}

export interface AddSubscriptionsParams {
  /** At most 500, including at most 100 new channels; channels × users at most 10,000. */
  readonly subscriptions: readonly ({
    readonly name: string;
    readonly color?: string | undefined;
    readonly description?: string | undefined;
  })[];
  /** IDs or e-mail addresses of the users; at most 10,000; the caller unless given. */
  readonly principals?: readonly number[] | readonly string[] | undefined;
  /** Whether one channel that the caller may not use rejects the whole request. Default: true. */
  readonly authorization_errors_fatal?: boolean | undefined;
  /** Whether the notification bot announces new channels. Default: false. */
  readonly announce?: boolean | undefined;
  /** A private channel. Default: false. */
  readonly invite_only?: boolean | undefined;
  /** Default: false. */
  readonly is_web_public?: boolean | undefined;
  /** New members are subscribed to it. Default: false. */
  readonly is_default_stream?: boolean | undefined;
  readonly folder_id?: number | undefined;
  /** Default: "inherit". */
  readonly topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only" | undefined;
  /** Always true for channels that are not private; false by default for private channels. */
  readonly history_public_to_subscribers?: boolean | undefined;
  /** Default: "realm_default". */
  readonly message_retention_days?: number | "realm_default" | "unlimited" | undefined;
  /** Nobody unless given. */
  readonly can_add_subscribers_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** The creator unless given. */
  readonly can_administer_channel_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Everyone unless given. Must be `role:everyone` for a private channel with protected history. */
  readonly can_create_topic_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_delete_any_message_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_delete_own_message_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_move_messages_out_of_channel_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_move_messages_within_channel_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Administrators unless given. */
  readonly can_remove_subscribers_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_resolve_topics_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Everyone unless given. */
  readonly can_send_message_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_subscribe_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Whether the notification bot tells people that they were subscribed. Default: true. */
  readonly send_new_subscription_messages?: boolean | undefined;
}

export interface AddSubscriptionsResult extends Answer {
  subscribed: Record<string, string[]>;
  already_subscribed: Record<string, string[]>;
  unauthorized?: string[];
  new_subscription_messages_sent?: boolean;
}

export interface ArchiveChannelParams {
  readonly stream_id: number;
}

export interface CheckInParams {
  readonly scheduled_message_id: number;
}

export interface CheckInResult extends Answer {
  scheduled_delivery_timestamp: number;
}

export interface CheckInAtSeriesParams {
  readonly series_id: number;
}

export interface CheckInAtSeriesResult extends Answer {
  scheduled_delivery_timestamp: number;
}

export interface ConfirmNewEmailParams {
  readonly token: string;
}

export interface CreateBotParams {
  /** 1 to 100 characters; not the name of an active account. */
  readonly full_name: string;
  /** Start of the bot's address: `{short_name}-bot@`, followed by `realm_bot_domain`. */
  readonly short_name: string;
  /** 1 generic, 2 incoming webhook, 3 outgoing webhook. Embedded bots are not supported. Default: 1. */
  readonly bot_type?: number | undefined;
  /** Required for an outgoing webhook: the URL that is called, also as a JSON string, at most 2048 characters. Without effect for other bots. */
  readonly payload_url?: string | undefined;
  /** Format of the calls of an outgoing webhook: 1 generic, 2 Slack. Default: 1. */
  readonly interface_type?: 1 | 2 | undefined;
  /** Name of the endpoint, at most 100 characters; `short_name` unless given. */
  readonly service_name?: string | undefined;
  /** For incoming-webhook bots: `{"webhook_secret": "…"}` with at most 200 characters, with which programs then have to sign their requests; an empty one removes it. Answers show `********`. */
  readonly config_data?: {
    readonly webhook_secret?: string | undefined;
  } | undefined;
  /** The name of a channel. */
  readonly default_sending_stream?: string | undefined;
  /** The name of a channel. */
  readonly default_events_register_stream?: string | undefined;
  /** Default: false. */
  readonly default_all_public_streams?: boolean | undefined;
}

export interface CreateBotResult extends Answer {
  user_id: number;
  api_key: string;
  avatar_url: string;
  default_sending_stream: string | null;
  default_events_register_stream: string | null;
  default_all_public_streams: boolean;
  config_data?: {
    webhook_secret?: string;
  };
}

export interface CreateChannelParams {
  /** At most `max_stream_name_length` characters. */
  readonly name: string;
  /** Markdown; at most `max_stream_description_length` characters. Default: "". */
  readonly description?: string | undefined;
  /** IDs of active users and bots, at most 10,000. */
  readonly subscribers: readonly number[];
  /** Whether the notification bot announces new channels. Default: false. */
  readonly announce?: boolean | undefined;
  /** A private channel. Default: false. */
  readonly invite_only?: boolean | undefined;
  /** Default: false. */
  readonly is_web_public?: boolean | undefined;
  /** New members are subscribed to it. Default: false. */
  readonly is_default_stream?: boolean | undefined;
  readonly folder_id?: number | undefined;
  /** Default: "inherit". */
  readonly topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only" | undefined;
  /** Always true for channels that are not private; false by default for private channels. */
  readonly history_public_to_subscribers?: boolean | undefined;
  /** Default: "realm_default". */
  readonly message_retention_days?: number | "realm_default" | "unlimited" | undefined;
  /** Nobody unless given. */
  readonly can_add_subscribers_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** The creator unless given. */
  readonly can_administer_channel_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Everyone unless given. Must be `role:everyone` for a private channel with protected history. */
  readonly can_create_topic_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_delete_any_message_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_delete_own_message_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_move_messages_out_of_channel_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_move_messages_within_channel_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Administrators unless given. */
  readonly can_remove_subscribers_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_resolve_topics_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Everyone unless given. */
  readonly can_send_message_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_subscribe_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Whether the notification bot tells people that they were subscribed. Default: true. */
  readonly send_new_subscription_messages?: boolean | undefined;
}

export interface CreateChannelResult extends Answer {
  id: number;
}

export interface CreateChannelFolderParams {
  /** At most `max_channel_folder_name_length` characters; unique among all folders, including archived ones, regardless of case. */
  readonly name: string;
  /** Markdown, may be empty; at most `max_channel_folder_description_length` characters. */
  readonly description: string;
}

export interface CreateChannelFolderResult extends Answer {
  channel_folder_id: number;
}

export interface CreateDraftsParams {
  /** Stores all drafts or none. */
  readonly drafts: readonly ({
    /** Empty while the recipient is undecided. */
    readonly type: "stream" | "private" | "";
    /** The ID of the channel, or the IDs of the users. */
    readonly to: readonly number[];
    readonly topic: string;
    readonly content: string;
    /** UNIX seconds of the last change, now unless given. */
    readonly timestamp?: number | undefined;
  })[];
}

export interface CreateDraftsResult extends Answer {
  /** IDs of the drafts, in the given order. */
  ids: number[];
}

export interface CreateEventSubscriptionParams {
  /** `https`; `http` only for an address that the operator has allowed. At most 2048 characters. */
  readonly url: string;
  /** 1 to 20 types of events; not `heartbeat`, `presence`, `typing` and `typing_edit_message`. */
  readonly event_types: readonly string[];
  /** Pairs of operator and operand; a `message` event must match all of them. */
  readonly narrow?: readonly unknown[] | null | undefined;
  /** Whether to send messages of all public channels, also without a subscription. Default: false. */
  readonly all_public_streams?: boolean | undefined;
  /** At most 200 characters. Default: "". */
  readonly description?: string | undefined;
  /** The bot; required of people, who may name bots that they administer. */
  readonly bot_id?: number | undefined;
}

export interface CreateEventSubscriptionResult extends Answer {
  subscription: {
    id: number;
    bot_id: number;
    url: string;
    event_types: string[];
    narrow: string[][];
    all_public_streams: boolean;
    description: string;
    state: "active" | "failing" | "paused" | "disabled";
    state_reason: string | null;
    cursor: number;
    failing_since: number | null;
    next_attempt_at: number | null;
    signing_secrets: number;
    date_created: number;
  };
  signing_secret: string;
}

export interface CreateInviteLinkParams {
  /** IDs of channels to which the person is subscribed: default channels, and those to which the caller may subscribe others. */
  readonly stream_ids?: readonly number[] | undefined;
  /** IDs of user groups to which the caller may add members. */
  readonly group_ids?: readonly number[] | undefined;
  /** Whether the person is subscribed to the default channels as well, as they are when the person joins. Default: false. */
  readonly include_realm_default_subscriptions?: boolean | undefined;
  /** The role. Only owners invite owners, and only administrators invite moderators. Default: 400. */
  readonly invite_as?: 100 | 200 | 300 | 400 | 600 | undefined;
  /** `null` for a link that does not expire. Default: 14400. */
  readonly invite_expires_in_minutes?: number | null | undefined;
  /** Second message to the new person, at most 8000 characters; empty for none. For administrators; unless given, the organization's text. */
  readonly welcome_message_custom_text?: string | undefined;
}

export interface CreateInviteLinkResult extends Answer {
  invite_link: string;
}

export interface CreateLinkifierParams {
  /** An RE2 regular expression with named groups; unique in the organization. */
  readonly pattern: string;
  /** A URL template (RFC 6570) with a variable for each named group of the pattern. */
  readonly url_template: string;
}

export interface CreateLinkifierResult extends Answer {
  id: number;
}

export interface CreateMessageSeriesParams {
  /** `stream` and `private` are older names of `channel` and `direct`. */
  readonly type: "direct" | "channel" | "stream" | "private";
  /** The ID of a channel, or a list of user IDs, which may include the sender. */
  readonly to: number | readonly number[];
  /** Required for channel messages, ignored for direct ones; cut to `max_topic_length`. */
  readonly topic?: string | undefined;
  /** Markdown; cut to `max_message_length`. */
  readonly content: string;
  /** Local time, `YYYY-MM-DDTHH:MM[:SS]` without an offset: lower bound and time of day. May lie in the past. */
  readonly start: string;
  /** IANA name. The account's own time zone unless given; required where it has none. */
  readonly timezone?: string | undefined;
  /** Rule of RFC 5545, at most 300 characters: `FREQ` of `DAILY`, `WEEKLY`, `MONTHLY` or `YEARLY`, `INTERVAL`, `BYDAY`, `BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, `WKST`, and `COUNT` or `UNTIL`. */
  readonly rrule: string;
  /** Local dates without an occurrence: `2026-12-25`. At most 500. */
  readonly excluded_dates?: readonly string[] | undefined;
  /** Expand `{date}`, `{weekday}`, `{week}` and `{n}` in topic and content; `{{` and `}}` are braces then. False unless given. */
  readonly template?: boolean | undefined;
  /** Conditions, at most 5: the message is not sent if one of them holds. `reply`: a person other than the sender, or with `by` (user IDs) one of these accounts, has written in the conversation since the message was scheduled. `topic_resolved`: the topic is resolved. `check_in`: the sender, or an account in `by`, has checked in. A `check_in` with `interval` never holds: each check-in moves the delivery to `interval` seconds later. */
  readonly unless?: readonly ({
    readonly kind: "reply";
    readonly by?: readonly number[] | undefined;
  } | {
    readonly kind: "topic_resolved";
  } | {
    readonly kind: "check_in";
    readonly by?: readonly number[] | undefined;
    readonly interval?: number | undefined;
  })[] | undefined;
  /** An occurrence that is later than this is not sent. 600 unless given. */
  readonly catch_up_seconds?: number | undefined;
  /** The accounts that manage the series beside its author; none unless given. Guests never do. */
  readonly can_manage_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
}

export interface CreateMessageSeriesResult extends Answer {
  series_id: number;
  occurrences: SeriesOccurrence[];
}

export interface CreateProfileFieldParams {
  /** 1 short text, 2 paragraph, 3 dropdown, 4 date, 5 link, 6 users, 7 external account, 8 pronouns. */
  readonly field_type: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  /** 1 to 40 characters; unique. Not allowed for a site of `realm_default_external_accounts`, which defines name and hint itself. */
  readonly name?: string | undefined;
  /** At most 80 characters. */
  readonly hint?: string | undefined;
  /** For type 3 the choices, `{key: {text, order}}`. For type 7 `subtype`: one of `realm_default_external_accounts`, or `custom` with an optional `url_pattern` that contains `%(username)s`. Ignored for other types. */
  readonly field_data?: Readonly<Record<string, unknown>> | undefined;
  /** Not for type 6, and for at most two fields. Default for a new field: false. */
  readonly display_in_profile_summary?: boolean | undefined;
  /** A hint to clients: the server accepts missing values. Default for a new field: false. */
  readonly required?: boolean | undefined;
  /** Whether users set their own value; otherwise only administrators do. Default for a new field: true. */
  readonly editable_by_user?: boolean | undefined;
  /** Only for types 1 and 7. Default for a new field: false. */
  readonly use_for_user_matching?: boolean | undefined;
}

export interface CreateProfileFieldResult extends Answer {
  id: number;
}

export interface CreateReminderParams {
  /** A message that the caller may see. */
  readonly message_id: number;
  /** UNIX time in UTC seconds; must lie in the future. */
  readonly scheduled_delivery_timestamp: number;
  /** Markdown, shown with the reminder; at most `max_reminder_note_length`. */
  readonly note?: string | undefined;
}

export interface CreateReminderResult extends Answer {
  reminder_id: number;
}

export interface CreateSavedSnippetParams {
  /** At most 60 characters. */
  readonly title: string;
  /** As long as a message may be. */
  readonly content: string;
}

export interface CreateSavedSnippetResult extends Answer {
  saved_snippet_id: number;
}

export interface CreateScheduledMessageParams {
  /** `stream` and `private` are older names of `channel` and `direct`. */
  readonly type: "direct" | "channel" | "stream" | "private";
  /** The ID of a channel, or a list of user IDs, which may include the sender. */
  readonly to: number | readonly number[];
  /** Markdown; truncated to `max_message_length`. */
  readonly content: string;
  /** Required for channel messages, ignored for direct ones; truncated to `max_topic_length`. */
  readonly topic?: string | undefined;
  /** UNIX time in UTC seconds; must lie in the future. */
  readonly scheduled_delivery_timestamp: number;
  /** Whether the sender's own copy is marked as read; depends on the client program unless given. */
  readonly read_by_sender?: boolean | undefined;
  /** Conditions, at most 5: the message is not sent if one of them holds. `reply`: a person other than the sender, or with `by` (user IDs) one of these accounts, has written in the conversation since the message was scheduled. `topic_resolved`: the topic is resolved. `check_in`: the sender, or an account in `by`, has checked in. A `check_in` with `interval` never holds: each check-in moves the delivery to `interval` seconds later. */
  readonly unless?: readonly ({
    readonly kind: "reply";
    readonly by?: readonly number[] | undefined;
  } | {
    readonly kind: "topic_resolved";
  } | {
    readonly kind: "check_in";
    readonly by?: readonly number[] | undefined;
    readonly interval?: number | undefined;
  })[] | undefined;
}

export interface CreateScheduledMessageResult extends Answer {
  scheduled_message_id: number;
}

export interface CreateUserParams {
  readonly email: string;
  /** 6 to 100 characters; the most common passwords are refused. */
  readonly password: string;
  /** 1 to 100 characters. */
  readonly full_name: string;
}

export interface CreateUserResult extends Answer {
  user_id: number;
}

export interface CreateUserGroupParams {
  /** At most 100 characters, unique among all groups. */
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  /** IDs of active users and bots, at most 10,000. */
  readonly members: readonly number[];
  /** IDs of active groups. */
  readonly subgroups?: readonly number[] | undefined;
  /** The creator unless given. */
  readonly can_add_members_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_join_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Everyone unless given. */
  readonly can_leave_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** The creator unless given. */
  readonly can_manage_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Everyone unless given. Not `role:owners`. */
  readonly can_mention_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
  /** Nobody unless given. */
  readonly can_remove_members_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | undefined;
}

export interface CreateUserGroupResult extends Answer {
  group_id: number;
}

export interface DeactivateBotParams {
  readonly bot_id: number;
}

export interface DeactivateRealmParams {
  /** Absent or null. */
  readonly deletion_delay_days?: unknown | null | undefined;
}

export interface DeactivateRealmEmojiParams {
  readonly emoji_name: string;
}

export interface DeactivateUserParams {
  readonly user_id: number;
  /** What to delete of the user and of their bots. Messages that they have sent are deleted in the background, with all copies, even if the account is reactivated meanwhile. */
  readonly actions?: {
    readonly delete_profile?: boolean | undefined;
    readonly delete_public_channel_messages?: boolean | undefined;
    readonly delete_private_channel_messages?: boolean | undefined;
    readonly delete_direct_messages?: boolean | undefined;
  } | undefined;
  /** At most 2000 characters. With it, even if empty, the user gets a mail with the comment at their delivery address; without it, no mail. */
  readonly deactivation_notification_comment?: string | undefined;
}

export interface DeactivateUserGroupParams {
  readonly user_group_id: number;
}

export interface DeleteAvatarResult extends Answer {
  avatar_url: string;
}

export interface DeleteBotStorageParams {
  /** Keys of the entries; all entries unless given. If a key does not exist, nothing is deleted. */
  readonly keys?: readonly string[] | undefined;
}

export interface DeleteDraftParams {
  readonly draft_id: number;
}

export interface DeleteEventQueueParams {
  readonly queue_id: string;
}

export interface DeleteEventSubscriptionParams {
  readonly subscription_id: number;
}

export interface DeleteIconResult extends Answer {
  icon_url: string;
}

export interface DeleteLogoParams {
  /** Whether it is the logo for dark themes, which clients show instead of the other one. */
  readonly night: boolean;
}

export interface DeleteMessageParams {
  readonly message_id: number;
}

export interface DeleteMessageSeriesParams {
  readonly series_id: number;
}

export interface DeleteProfileFieldParams {
  readonly field_id: number;
}

export interface DeleteReminderParams {
  readonly reminder_id: number;
}

export interface DeleteResumableUploadParams {
  readonly upload_id: string;
}

export interface DeleteSavedSnippetParams {
  readonly saved_snippet_id: number;
}

export interface DeleteScheduledMessageParams {
  readonly scheduled_message_id: number;
}

export interface DeleteTopicParams {
  readonly stream_id: number;
  /** Compared without case; the organization's display name for the empty topic means the empty topic. */
  readonly topic_name: string;
}

export interface DeleteTopicResult extends Answer {
  complete: boolean;
}

export interface DevFetchApiKeyParams {
  /** The account's e-mail address. */
  readonly username: string;
}

export interface DevFetchApiKeyResult extends Answer {
  api_key: string;
  email: string;
  user_id: number;
}

export interface DownloadFileParams {
  readonly path_id: string;
}

export interface EditDraftParams {
  readonly draft_id: number;
  /** The whole draft. */
  readonly draft: {
    /** Empty while the recipient is undecided. */
    readonly type: "stream" | "private" | "";
    /** The ID of the channel, or the IDs of the users. */
    readonly to: readonly number[];
    readonly topic: string;
    readonly content: string;
    /** UNIX seconds of the last change, now unless given. */
    readonly timestamp?: number | undefined;
  };
}

export interface EditMessageSeriesParams {
  readonly series_id: number;
  /** `stream` and `private` are older names of `channel` and `direct`. */
  readonly type?: "direct" | "channel" | "stream" | "private" | undefined;
  /** The ID of a channel, or a list of user IDs, which may include the sender. */
  readonly to?: number | readonly number[] | undefined;
  readonly topic?: string | undefined;
  readonly content?: string | undefined;
  /** Local time, `YYYY-MM-DDTHH:MM[:SS]` without an offset: lower bound and time of day. May lie in the past. */
  readonly start?: string | undefined;
  /** IANA name. The account's own time zone unless given; required where it has none. */
  readonly timezone?: string | undefined;
  /** Rule of RFC 5545, at most 300 characters: `FREQ` of `DAILY`, `WEEKLY`, `MONTHLY` or `YEARLY`, `INTERVAL`, `BYDAY`, `BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, `WKST`, and `COUNT` or `UNTIL`. */
  readonly rrule?: string | undefined;
  /** Local dates without an occurrence: `2026-12-25`. At most 500. */
  readonly excluded_dates?: readonly string[] | undefined;
  /** Expand `{date}`, `{weekday}`, `{week}` and `{n}` in topic and content; `{{` and `}}` are braces then. False unless given. */
  readonly template?: boolean | undefined;
  /** Conditions, at most 5: the message is not sent if one of them holds. `reply`: a person other than the sender, or with `by` (user IDs) one of these accounts, has written in the conversation since the message was scheduled. `topic_resolved`: the topic is resolved. `check_in`: the sender, or an account in `by`, has checked in. A `check_in` with `interval` never holds: each check-in moves the delivery to `interval` seconds later. */
  readonly unless?: readonly ({
    readonly kind: "reply";
    readonly by?: readonly number[] | undefined;
  } | {
    readonly kind: "topic_resolved";
  } | {
    readonly kind: "check_in";
    readonly by?: readonly number[] | undefined;
    readonly interval?: number | undefined;
  })[] | undefined;
  /** An occurrence that is later than this is not sent. 600 unless given. */
  readonly catch_up_seconds?: number | undefined;
  /** A value as on creation, or the update form of other permissions: `{"new": …, "old": …}`. */
  readonly can_manage_group?: number | {
    readonly direct_members: readonly number[];
    readonly direct_subgroups: readonly number[];
  } | {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
}

export interface EditMessageSeriesResult extends Answer {
  occurrences: SeriesOccurrence[];
}

export interface EditNavigationViewParams {
  readonly fragment: string;
  /** Whether clients always show the view. */
  readonly is_pinned?: boolean | undefined;
  /** At most 500 characters. */
  readonly name?: string | undefined;
}

export interface EditSavedSnippetParams {
  readonly saved_snippet_id: number;
  /** At most 60 characters. */
  readonly title?: string | undefined;
  /** As long as a message may be. */
  readonly content?: string | undefined;
}

export interface EditScheduledMessageParams {
  readonly scheduled_message_id: number;
  /** `stream` and `private` are older names of `channel` and `direct`. */
  readonly type?: "direct" | "channel" | "stream" | "private" | undefined;
  /** The ID of a channel, or a list of user IDs, which may include the sender. */
  readonly to?: number | readonly number[] | undefined;
  readonly content?: string | undefined;
  readonly topic?: string | undefined;
  /** UNIX time in UTC seconds; must lie in the future. */
  readonly scheduled_delivery_timestamp?: number | undefined;
  /** Conditions, at most 5: the message is not sent if one of them holds. `reply`: a person other than the sender, or with `by` (user IDs) one of these accounts, has written in the conversation since the message was scheduled. `topic_resolved`: the topic is resolved. `check_in`: the sender, or an account in `by`, has checked in. A `check_in` with `interval` never holds: each check-in moves the delivery to `interval` seconds later. */
  readonly unless?: readonly ({
    readonly kind: "reply";
    readonly by?: readonly number[] | undefined;
  } | {
    readonly kind: "topic_resolved";
  } | {
    readonly kind: "check_in";
    readonly by?: readonly number[] | undefined;
    readonly interval?: number | undefined;
  })[] | undefined;
}

export interface FetchApiKeyParams {
  /** The account's e-mail address. */
  readonly username: string;
  readonly password: string;
}

export interface FetchApiKeyResult extends Answer {
  api_key: string;
  email: string;
  user_id: number;
}

export interface FindResumableUploadParams {
  readonly upload_id: string;
}

export interface GetAttachmentsResult extends Answer {
  attachments: Attachment[];
  /** Bytes of all uploaded files of the organization. */
  upload_space_used: number;
}

export interface GetAvatarParams {
  readonly user_id: number;
  /** The account's `avatar_version`. */
  readonly version?: string | undefined;
  /** Width and height of a generated picture, in pixels. Default: 100. */
  readonly s?: number | undefined;
}

export interface GetBotApiKeyParams {
  readonly bot_id: number;
}

export interface GetBotApiKeyResult extends Answer {
  api_key: string;
}

export interface GetBotStorageParams {
  /** Keys of the entries; all entries unless given. Each key must exist. */
  readonly keys?: readonly string[] | undefined;
}

export interface GetBotStorageResult extends Answer {
  storage: Record<string, string>;
}

export interface GetBotWebhookParams {
  readonly bot_id: number;
}

export interface GetBotWebhookResult extends Answer {
  payload_url: string;
  interface_type: number;
  token: string;
  signing_secrets: string[];
  state: "ok" | "failing";
  waiting: number;
}

export interface GetBotWebhookDeliveriesParams {
  readonly bot_id: number;
}

export interface GetBotWebhookDeliveriesResult extends Answer {
  deliveries: ({
    webhook_id: string;
    message_id: number;
    attempt: number;
    attempted_at: number;
    status: number | null;
    error: string | null;
    duration_ms: number;
    outcome: "done" | "retry" | "failed";
    response_head: string;
  })[];
}

export interface GetChannelParams {
  readonly stream_id: number;
}

export interface GetChannelResult extends Answer {
  stream: Channel;
}

export interface GetChannelEmailAddressParams {
  readonly stream_id: number;
}

export interface GetChannelEmailAddressResult extends Answer {
  email: string;
}

export interface GetChannelIdParams {
  /** Name of the channel, regardless of case. */
  readonly stream: string;
}

export interface GetChannelIdResult extends Answer {
  stream_id: number;
}

export interface GetDraftsResult extends Answer {
  count: number;
  drafts: Draft[];
}

export interface GetEmojiDataParams {
  readonly version: string;
}

export interface GetEventSubscriptionParams {
  readonly subscription_id: number;
}

export interface GetEventSubscriptionResult extends Answer {
  subscription: {
    id: number;
    bot_id: number;
    url: string;
    event_types: string[];
    narrow: string[][];
    all_public_streams: boolean;
    description: string;
    state: "active" | "failing" | "paused" | "disabled";
    state_reason: string | null;
    cursor: number;
    failing_since: number | null;
    next_attempt_at: number | null;
    signing_secrets: number;
    date_created: number;
  };
}

export interface GetEventSubscriptionDeliveriesParams {
  readonly subscription_id: number;
}

export interface GetEventSubscriptionDeliveriesResult extends Answer {
  deliveries: ({
    webhook_id: string;
    first_event_id: number | null;
    last_event_id: number | null;
    events: number;
    attempt: number;
    attempted_at: number;
    status: number | null;
    error: string | null;
    duration_ms: number;
    outcome: "done" | "retry" | "failed";
    response_head: string;
  })[];
}

export interface GetEventSubscriptionsParams {
  /** The bot; required of people, who may name bots that they administer. */
  readonly bot_id?: number | undefined;
}

export interface GetEventSubscriptionsResult extends Answer {
  subscriptions: ({
    id: number;
    bot_id: number;
    url: string;
    event_types: string[];
    narrow: string[][];
    all_public_streams: boolean;
    description: string;
    state: "active" | "failing" | "paused" | "disabled";
    state_reason: string | null;
    cursor: number;
    failing_since: number | null;
    next_attempt_at: number | null;
    signing_secrets: number;
    date_created: number;
  })[];
}

export interface GetEventsParams {
  readonly queue_id: string;
  /** ID of the newest event that the client has received; acknowledges all events up to it. */
  readonly last_event_id: number;
  /** Whether to answer at once, even without events. Default: false. */
  readonly dont_block?: boolean | undefined;
}

export interface GetEventsResult extends Answer {
  queue_id: string;
  /** Oldest first; [event types](event-types.md) lists all types. */
  events: ServerEvent[];
}

export interface GetFileTemporaryUrlParams {
  readonly path_id: string;
}

export interface GetFileTemporaryUrlResult extends Answer {
  url: string;
}

export interface GetInvitesResult extends Answer {
  invites: Invite[];
}

export interface GetMessageParams {
  readonly message_id: number;
  /** Whether `content` is HTML or the Markdown source. Default: true. */
  readonly apply_markdown?: boolean | undefined;
  /** Whether the empty topic is sent as an empty string or as the organization's display name for it. Default: false. */
  readonly allow_empty_topic_name?: boolean | undefined;
}

export interface GetMessageResult extends Answer {
  message: Message;
  /** Deprecated: the Markdown source. */
  raw_content: string;
}

export interface GetMessageHistoryParams {
  readonly message_id: number;
  /** Whether the empty topic is sent as an empty string or as the organization's display name for it. Default: false. */
  readonly allow_empty_topic_name?: boolean | undefined;
}

export interface GetMessageHistoryResult extends Answer {
  message_history: ({
    timestamp: number;
    user_id: number | null;
    topic: string;
    content: string;
    rendered_content: string;
    prev_content?: string;
    prev_rendered_content?: string;
    content_html_diff?: string;
    prev_topic?: string;
    prev_stream?: number;
    stream?: number;
  })[];
}

export interface GetMessagesParams {
  /** A message ID, `newest`, `oldest`, `first_unread` or `date`. Required unless `message_ids` is given. */
  readonly anchor?: string | undefined;
  /** ISO 8601 date or time, in UTC unless it has an offset. With `anchor=date`, the anchor is the first message sent at or after it. */
  readonly anchor_date?: string | undefined;
  /** Whether the message with the anchor's ID is included if it matches; `true` unless given. */
  readonly include_anchor?: boolean | undefined;
  /** How many messages before the anchor. Required unless `message_ids` is given. */
  readonly num_before?: number | undefined;
  /** How many messages after the anchor. Required unless `message_ids` is given. */
  readonly num_after?: number | undefined;
  /** Terms that must all match: objects with `operator`, `operand` and `negated`, or pairs of strings. */
  readonly narrow?: readonly ({
    readonly operator: string;
    readonly operand: string | number | readonly number[];
    readonly negated?: boolean | undefined;
  } | readonly string[])[] | null | undefined;
  /** Whether `avatar_url` may be null for senders whose Gravatar the client can compute. Default: true. */
  readonly client_gravatar?: boolean | undefined;
  /** Whether `content` is HTML or the Markdown source. Default: true. */
  readonly apply_markdown?: boolean | undefined;
  /** Returns these messages if they are visible and match; not allowed with an anchor. */
  readonly message_ids?: readonly number[] | undefined;
  /** Whether the empty topic is sent as an empty string or as the organization's display name for it. Default: false. */
  readonly allow_empty_topic_name?: boolean | undefined;
  /** Deprecated: `true` means `anchor=first_unread` and overrides `anchor`. */
  readonly use_first_unread_anchor?: boolean | undefined;
}

export interface GetMessagesResult extends Answer {
  anchor?: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
  history_limited: boolean;
  messages: Message[];
}

export interface GetNavigationViewsResult extends Answer {
  navigation_views: NavigationView[];
}

export interface GetOwnUserResult extends Answer {
  user_id: number;
  email: string;
  delivery_email: string | null;
  full_name: string;
  role: number;
  is_active: boolean;
  is_bot: boolean;
  is_owner: boolean;
  is_admin: boolean;
  is_guest: boolean;
  is_imported_stub: boolean;
  timezone: string;
  date_joined: string;
  avatar_version: number;
  avatar_url: string;
  is_deleted?: true;
  is_system_bot?: true;
  bot_type?: number | null;
  bot_owner_id?: number | null;
  profile_data?: Record<string, {
    value: string;
    rendered_value?: string;
  }>;
  max_message_id: number;
}

export interface GetPresenceParams {
  readonly user_id_or_email: string;
}

export interface GetPresenceResult extends Answer {
  presence: {
    aggregated: {
      status: "active" | "idle" | "offline";
      timestamp: number;
    };
    website: {
      status: "active" | "idle";
      timestamp: number;
    };
  };
}

export interface GetReadReceiptsParams {
  readonly message_id: number;
}

export interface GetReadReceiptsResult extends Answer {
  /** Ascending. */
  user_ids: number[];
}

export interface GetSavedSnippetsResult extends Answer {
  saved_snippets: SavedSnippet[];
}

export interface GetServerSettingsResult extends Answer {
  zulip_version: string;
  zulip_merge_base: string;
  zulip_feature_level: number;
  push_notifications_enabled: boolean;
  is_incompatible: boolean;
  email_auth_enabled: boolean;
  require_email_format_usernames: boolean;
  realm_url: string;
  realm_uri: string;
  realm_name: string;
  realm_icon: string;
  realm_description: string;
  realm_web_public_access_enabled: boolean;
  authentication_methods: Record<string, boolean>;
  external_authentication_methods: ({
    name: string;
    display_name: string;
    display_icon: string | null;
    login_url: string;
    signup_url: string;
  })[];
}

export interface GetSettingsResult extends Answer {
  user_settings: Record<string, unknown>;
}

export interface GetStatusParams {
  readonly user_id: number;
}

export interface GetStatusResult extends Answer {
  status: Status;
}

export interface GetSubscriptionStatusParams {
  readonly user_id: number;
  readonly stream_id: number;
}

export interface GetSubscriptionStatusResult extends Answer {
  is_subscribed: boolean;
}

export interface GetUserParams {
  readonly user_id: number;
  /** Whether `avatar_url` may be null if the client can compute the Gravatar URL itself. Default: true. */
  readonly client_gravatar?: boolean | undefined;
  /** Default: false. */
  readonly include_custom_profile_fields?: boolean | undefined;
}

export interface GetUserResult extends Answer {
  user: User;
}

export interface GetUserByEmailParams {
  readonly email: string;
  /** Whether `avatar_url` may be null if the client can compute the Gravatar URL itself. Default: true. */
  readonly client_gravatar?: boolean | undefined;
  /** Default: false. */
  readonly include_custom_profile_fields?: boolean | undefined;
}

export interface GetUserByEmailResult extends Answer {
  user: User;
}

export interface GetUserChannelsParams {
  readonly user_id: number;
}

export interface GetUserChannelsResult extends Answer {
  subscribed_channel_ids: number[];
}

export interface GetUserGroupMembershipParams {
  readonly user_group_id: number;
  readonly user_id: number;
  /** Not counting subgroups. Default: false. */
  readonly direct_member_only?: boolean | undefined;
}

export interface GetUserGroupMembershipResult extends Answer {
  is_user_group_member: boolean;
}

export interface GetUsersParams {
  /** Whether `avatar_url` may be null if the client can compute the Gravatar URL itself. Default: true. */
  readonly client_gravatar?: boolean | undefined;
  /** Default: false. */
  readonly include_custom_profile_fields?: boolean | undefined;
  /** Only these users, at most 10,000; unknown IDs are skipped. */
  readonly user_ids?: readonly number[] | undefined;
}

export interface GetUsersResult extends Answer {
  members: User[];
}

export interface JwtFetchApiKeyParams {
  readonly token: string;
  /** Whether to return the account, too. Default: false. */
  readonly include_profile?: boolean | undefined;
}

export interface JwtFetchApiKeyResult extends Answer {
  api_key: string;
  email: string;
  user?: {
    user_id: number;
    email: string;
    delivery_email: string | null;
    full_name: string;
    role: number;
    is_active: boolean;
    is_bot: boolean;
    is_owner: boolean;
    is_admin: boolean;
    is_guest: boolean;
    is_imported_stub: boolean;
    timezone: string;
    date_joined: string;
    avatar_version: number;
    avatar_url: string;
    is_deleted?: true;
    is_system_bot?: true;
    bot_type?: number | null;
    bot_owner_id?: number | null;
    profile_data?: Record<string, {
      value: string;
      rendered_value?: string;
    }>;
    max_message_id: number;
  };
}

export interface ListAlertWordsResult extends Answer {
  alert_words: string[];
}

export interface ListBotsResult extends Answer {
  bots: ({
    username: string;
    full_name: string;
    api_key: string;
    avatar_url: string;
    default_sending_stream: string | null;
    default_events_register_stream: string | null;
    default_all_public_streams: boolean;
  })[];
}

export interface ListChannelFoldersParams {
  /** Default: false. */
  readonly include_archived?: boolean | undefined;
}

export interface ListChannelFoldersResult extends Answer {
  channel_folders: ChannelFolder[];
}

export interface ListChannelsParams {
  /** No effect for guests. Default: true. */
  readonly include_public?: boolean | undefined;
  /** Default: false. */
  readonly include_web_public?: boolean | undefined;
  /** Default: true. */
  readonly include_subscribed?: boolean | undefined;
  /** Default: true. */
  readonly exclude_archived?: boolean | undefined;
  /** Every channel whose metadata the caller may see. Default: false. */
  readonly include_all?: boolean | undefined;
  /** Adds `is_default`. Default: false. */
  readonly include_default?: boolean | undefined;
  /** For bots: the channels of the owner. Default: false. */
  readonly include_owner_subscribed?: boolean | undefined;
  /** Every channel whose messages the caller may read. Default: false. */
  readonly include_can_access_content?: boolean | undefined;
}

export interface ListChannelsResult extends Answer {
  streams: Channel[];
}

export interface ListConditionsResult extends Answer {
  conditions: ({
    scheduled_message_id: number;
    unless: Condition[];
    last_check_in: number | null;
  })[];
}

export interface ListDomainsResult extends Answer {
  domains: Domain[];
}

export interface ListFailedScheduledMessagesResult extends Answer {
  failures: ({
    scheduled_message_id: number;
    reason: string;
    failed_timestamp: number | null;
  })[];
}

export interface ListLinkifiersResult extends Answer {
  linkifiers: Linkifier[];
}

export interface ListMessageSeriesResult extends Answer {
  message_series: MessageSeries[];
}

export interface ListPresencesResult extends Answer {
  presences: Record<string, ModernPresence | {
    aggregated: {
      client: string;
      status: "active" | "idle";
      timestamp: number;
    };
    website: WebsitePresence;
  }>;
  server_timestamp: number;
}

export interface ListProfileFieldsResult extends Answer {
  custom_fields: ProfileField[];
}

export interface ListRealmEmojiResult extends Answer {
  emoji: Record<string, Emoji>;
}

export interface ListRemindersResult extends Answer {
  reminders: Reminder[];
}

export interface ListScheduledMessagesResult extends Answer {
  scheduled_messages: ScheduledMessage[];
}

export interface ListSeriesOccurrencesParams {
  readonly series_id: number;
  /** How many occurrences the answer lists. Default: 5. */
  readonly count?: number | undefined;
}

export interface ListSeriesOccurrencesResult extends Answer {
  occurrences: SeriesOccurrence[];
  runs: SeriesRun[];
}

export interface ListSubscribersParams {
  readonly stream_id: number;
}

export interface ListSubscribersResult extends Answer {
  subscribers: number[];
}

export interface ListSubscriptionsParams {
  /** Adds `subscribers`. With `partial`, channels of 250 and more subscribers have `partial_subscribers` instead: bots, and users who were active in the last two weeks. Default: false. */
  readonly include_subscribers?: boolean | "partial" | undefined;
}

export interface ListSubscriptionsResult extends Answer {
  subscriptions: ({
    stream_id: number;
    name: string;
    description: string;
    rendered_description: string;
    date_created: number;
    creator_id: number | null;
    invite_only: boolean;
    is_web_public: boolean;
    history_public_to_subscribers: boolean;
    is_archived: boolean;
    folder_id: number | null;
    first_message_id: number | null;
    message_retention_days: number | null;
    topics_policy: string;
    is_recently_active: boolean;
    subscriber_count: number;
    stream_weekly_traffic: number | null;
    stream_post_policy: number;
    is_announcement_only: boolean;
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    is_default?: boolean;
    color: string;
    is_muted: boolean;
    in_home_view: boolean;
    pin_to_top: boolean;
    desktop_notifications: boolean | null;
    audible_notifications: boolean | null;
    push_notifications: boolean | null;
    email_notifications: boolean | null;
    wildcard_mentions_notify: boolean | null;
    subscribers?: number[];
    partial_subscribers?: number[];
  })[];
}

export interface ListTopicsParams {
  readonly stream_id: number;
  /** If false, the empty topic is sent as the organization's display name for it. Default: false. */
  readonly allow_empty_topic_name?: boolean | undefined;
}

export interface ListTopicsResult extends Answer {
  topics: {
    name: string;
    max_id: number;
  }[];
}

export interface ListUserGroupMembersParams {
  readonly user_group_id: number;
  /** Whether to omit members of subgroups. Default: false. */
  readonly direct_member_only?: boolean | undefined;
}

export interface ListUserGroupMembersResult extends Answer {
  members: number[];
}

export interface ListUserGroupSubgroupsParams {
  readonly user_group_id: number;
  /** Whether to omit subgroups of subgroups. Default: false. */
  readonly direct_subgroup_only?: boolean | undefined;
}

export interface ListUserGroupSubgroupsResult extends Answer {
  subgroups: number[];
}

export interface ListUserGroupsParams {
  /** Default: false. */
  readonly include_deactivated_groups?: boolean | undefined;
}

export interface ListUserGroupsResult extends Answer {
  user_groups: UserGroup[];
}

export interface ListWithheldMessagesResult extends Answer {
  withheld_messages: WithheldMessage[];
}

export interface MarkAllAsReadResult extends Answer {
  /** False if there are more messages than one request marks: the rest is marked in the background. */
  complete: boolean;
}

export interface MarkStreamAsReadParams {
  /** A channel that the caller may read, archived or not. */
  readonly stream_id: number;
}

export interface MarkStreamAsReadResult extends Answer {
  /** False if there are more messages than one request marks: the rest is marked in the background. */
  complete: boolean;
}

export interface MarkTopicAsReadParams {
  /** A channel that the caller may read, archived or not. */
  readonly stream_id: number;
  /** Compared without case; the caller must have a message of the topic. The organization's display name for the empty topic means the empty topic. */
  readonly topic_name: string;
}

export interface MarkTopicAsReadResult extends Answer {
  /** False if there are more messages than one request marks: the rest is marked in the background. */
  complete: boolean;
}

export interface MatchNarrowParams {
  /** The IDs of the messages. */
  readonly msg_ids: readonly number[];
  /** Terms that must all match: objects with `operator`, `operand` and `negated`, or pairs of strings. */
  readonly narrow?: readonly ({
    readonly operator: string;
    readonly operand: string | number | readonly number[];
    readonly negated?: boolean | undefined;
  } | readonly string[])[] | null | undefined;
}

export interface MatchNarrowResult extends Answer {
  /** The matching messages by ID, with content and topic as HTML. */
  messages: Record<string, {
    match_content: string;
    match_subject: string;
  }>;
}

export interface MuteTopicParams {
  readonly stream_id?: number | undefined;
  /** Name of the channel. */
  readonly stream?: string | undefined;
  readonly topic: string;
  readonly op: "add" | "remove";
}

export interface MuteUserParams {
  readonly muted_user_id: number;
}

export interface PauseMessageSeriesParams {
  readonly series_id: number;
}

export interface PingEventSubscriptionParams {
  readonly subscription_id: number;
}

export interface PreviewMessageSeriesParams {
  /** Local time, `YYYY-MM-DDTHH:MM[:SS]` without an offset: lower bound and time of day. May lie in the past. */
  readonly start: string;
  /** IANA name. The account's own time zone unless given; required where it has none. */
  readonly timezone?: string | undefined;
  /** Rule of RFC 5545, at most 300 characters: `FREQ` of `DAILY`, `WEEKLY`, `MONTHLY` or `YEARLY`, `INTERVAL`, `BYDAY`, `BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, `WKST`, and `COUNT` or `UNTIL`. */
  readonly rrule: string;
  /** Local dates without an occurrence: `2026-12-25`. At most 500. */
  readonly excluded_dates?: readonly string[] | undefined;
  /** UNIX time in UTC seconds; only later occurrences. Now unless given. */
  readonly after?: number | undefined;
  /** How many occurrences the answer lists. Default: 5. */
  readonly count?: number | undefined;
}

export interface PreviewMessageSeriesResult extends Answer {
  occurrences: SeriesOccurrence[];
  warnings: ("SKIPS_SHORT_MONTHS" | "DST_GAP" | "DST_OVERLAP" | "ENDS")[];
}

export interface ReactivateUserParams {
  readonly user_id: number;
}

export interface ReadFileParams {
  readonly path_id: string;
}

export interface ReadFileByTemporaryUrlParams {
  readonly address: string;
}

export interface ReadPictureParams {
  readonly picture_path: string;
}

export interface ReadThumbnailParams {
  readonly address: string;
}

export interface ReceiveWebhookParams {
  readonly integration: string;
  /** The API key of a bot, if the request has no HTTP Basic credentials. */
  readonly api_key?: string | undefined;
  /** A channel, by its ID in digits or by its name. Without it, the bot's owner gets direct messages. */
  readonly stream?: string | undefined;
  /** Replaces the topic that the integration chooses. */
  readonly topic?: string | undefined;
  /** Names of events to send messages about. `*` stands for any characters, `?` for one. */
  readonly only_events?: readonly string[] | undefined;
  /** Names of events to send no messages about, with the same wildcards. */
  readonly exclude_events?: readonly string[] | undefined;
  /** For `github` and `gitlab`: names of branches whose pushes are shown, separated by commas. */
  readonly branches?: string | undefined;
  /** For `alertmanager`: the alert label to use as the topic. Default: "instance". */
  readonly name?: string | undefined;
  /** For `alertmanager`: the alert label to use as the description. Default: "alertname". */
  readonly desc?: string | undefined;
  /** For `alertmanager` and `grafana`: whether each alert has a separate message, which is edited when the alert is resolved. Default: false. */
  readonly edit_resolved?: boolean | undefined;
  /** In a form body: the payload as JSON. */
  readonly payload?: string | undefined;
  /** In a form body, for `text`: the message. */
  readonly content?: string | undefined;
}

export interface ReceiveWebhookResult extends Answer {
  /** For `slack_incoming` only: senders of Slack's format look for it. */
  ok?: true;
}

export interface RegenerateApiKeyResult extends Answer {
  api_key: string;
}

export interface RegenerateBotApiKeyParams {
  readonly bot_id: number;
}

export interface RegenerateBotApiKeyResult extends Answer {
  api_key: string;
}

export interface RegisterParams {
  /** Types of events that the queue delivers; all unless given. Unknown names are ignored. */
  readonly event_types?: readonly string[] | null | undefined;
  /** Sections of the snapshot; the same as `event_types` unless given. */
  readonly fetch_event_types?: readonly string[] | null | undefined;
  /** Features that the client supports. Unknown names are ignored. */
  readonly client_capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Default: false. */
  readonly apply_markdown?: boolean | undefined;
  /** Default: true. */
  readonly client_gravatar?: boolean | undefined;
  /** Default: false. */
  readonly slim_presence?: boolean | undefined;
  /** Default: 14. */
  readonly presence_history_limit_days?: number | undefined;
  /** Default: false. */
  readonly include_subscribers?: boolean | "partial" | undefined;
  /** Default: false. */
  readonly all_public_streams?: boolean | undefined;
  /** Pairs of operator and operand; a `message` event must match all of them. */
  readonly narrow?: readonly unknown[] | null | undefined;
  /** Seconds without a poll after which the queue is deleted. Default: 600. */
  readonly idle_queue_timeout?: number | "mobile" | undefined;
}

export interface RegisterResult extends Answer {
  queue_id: string;
  last_event_id: number;
  idle_queue_timeout_secs: number;
  zulip_version: string;
  zulip_feature_level: number;
  zulip_merge_base: string;
  [field: string]: unknown;
}

export interface RegisterClientDeviceResult extends Answer {
  device_id: number;
}

export interface RegisterPushDeviceParams {
  /** ID of a device of the caller. */
  readonly device_id: number;
  readonly push_key_id?: number | undefined;
  /** Base64 of 33 bytes; the first byte is 0x31. */
  readonly push_key?: string | undefined;
  readonly token_kind?: "fcm" | "apns" | undefined;
  /** Base64 of 8 bytes. */
  readonly token_id?: string | undefined;
  /** Passed on unchanged; at most 1000 characters. */
  readonly bouncer_public_key?: string | undefined;
  /** Passed on unchanged; at most 20000 characters. */
  readonly encrypted_push_registration?: string | undefined;
}

export interface RemoveAlertWordsParams {
  /** Compared without case; unknown words are ignored. */
  readonly alert_words: readonly string[];
}

export interface RemoveAlertWordsResult extends Answer {
  alert_words: string[];
}

export interface RemoveApnsTokenParams {
  /** Hexadecimal digits, at most 4096, in upper or lower case. */
  readonly token: string;
}

export interface RemoveAttachmentParams {
  readonly attachment_id: number;
}

export interface RemoveClientDeviceParams {
  /** ID of a device of the caller. */
  readonly device_id: number;
}

export interface RemoveDefaultChannelParams {
  readonly stream_id: number;
}

export interface RemoveDomainParams {
  readonly domain: string;
}

export interface RemoveFcmTokenParams {
  /** At most 4096 characters. */
  readonly token: string;
}

export interface RemoveLinkifierParams {
  readonly filter_id: number;
}

export interface RemoveNavigationViewParams {
  readonly fragment: string;
}

export interface RemoveOwnProfileParams {
  /** IDs of fields; a field without a value is ignored. */
  readonly data: readonly number[];
}

export interface RemoveReactionParams {
  readonly message_id: number;
  /** Required unless `emoji_code` is given. */
  readonly emoji_name?: string | undefined;
  /** Takes precedence over `emoji_name`. */
  readonly emoji_code?: string | undefined;
  /** `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`. Default: "unicode_emoji". */
  readonly reaction_type?: string | undefined;
}

export interface RemoveSubscriptionsParams {
  /** Names of channels, at most 500; channels × users at most 10,000. */
  readonly subscriptions: readonly string[];
  /** IDs or e-mail addresses of the users; at most 10,000; the caller unless given. */
  readonly principals?: readonly number[] | readonly string[] | undefined;
}

export interface RemoveSubscriptionsResult extends Answer {
  removed: string[];
  not_removed: string[];
}

export interface RemoveUserGroupParams {
  readonly user_group_id: number;
}

export interface RenderMessageParams {
  readonly content: string;
}

export interface RenderMessageResult extends Answer {
  rendered: string;
}

export interface ReorderChannelFoldersParams {
  /** IDs of all folders of the organization, including archived ones, each once. */
  readonly order: readonly number[];
}

export interface ReorderLinkifiersParams {
  /** IDs of all linkifiers of the organization, each once. */
  readonly ordered_linkifier_ids: readonly number[];
}

export interface ReorderProfileFieldsParams {
  /** IDs of all fields of the organization, each once; others are ignored. */
  readonly order: readonly number[];
}

export interface ReplayEventSubscriptionParams {
  readonly subscription_id: number;
  /** Either this or `from_time` is required. */
  readonly from_event_id?: number | undefined;
  /** UNIX seconds. */
  readonly from_time?: number | undefined;
}

export interface ReplayEventSubscriptionResult extends Answer {
  cursor: number;
}

export interface ReportMessageParams {
  readonly message_id: number;
  readonly report_type: "spam" | "harassment" | "inappropriate" | "norms" | "other";
  /** At most 1000 characters; required for the type `other`. */
  readonly description?: string | undefined;
}

export interface ResendEmailInviteParams {
  readonly invite_id: number;
}

export interface ResumeMessageSeriesParams {
  readonly series_id: number;
}

export interface ResumeUploadParams {
  readonly upload_id: string;
}

export interface RevokeEmailInviteParams {
  readonly invite_id: number;
}

export interface RevokeInviteLinkParams {
  readonly invite_id: number;
}

export interface RotateBotWebhookParams {
  readonly bot_id: number;
  readonly which: "token" | "signing_secret";
}

export interface RotateBotWebhookResult extends Answer {
  payload_url: string;
  interface_type: number;
  token: string;
  signing_secrets: string[];
  state: "ok" | "failing";
  waiting: number;
}

export interface RotateEventSubscriptionSecretParams {
  readonly subscription_id: number;
  /** Seconds for which requests are signed with the previous secret as well. Any older one ends at once. Default: 86400. */
  readonly expire_seconds?: number | undefined;
}

export interface RotateEventSubscriptionSecretResult extends Answer {
  signing_secret: string;
}

export interface SendInvitesParams {
  /** At most 100 addresses, separated by commas or line feeds; each may be `Name <address>`. */
  readonly invitee_emails: string;
  /** IDs of channels to which the person is subscribed: default channels, and those to which the caller may subscribe others. */
  readonly stream_ids: readonly number[];
  /** IDs of user groups to which the caller may add members. */
  readonly group_ids?: readonly number[] | undefined;
  /** Whether the person is subscribed to the default channels as well, as they are when the person joins. Default: false. */
  readonly include_realm_default_subscriptions?: boolean | undefined;
  /** The role. Only owners invite owners, and only administrators invite moderators. Default: 400. */
  readonly invite_as?: 100 | 200 | 300 | 400 | 600 | undefined;
  /** `null` for a link that does not expire. Default: 14400. */
  readonly invite_expires_in_minutes?: number | null | undefined;
  /** Second message to the new person, at most 8000 characters; empty for none. For administrators; unless given, the organization's text. */
  readonly welcome_message_custom_text?: string | undefined;
  /** Whether the caller gets a message when a person joins. Default: true. */
  readonly notify_referrer_on_join?: boolean | undefined;
}

export interface SendMessageParams {
  /** `stream` and `private` are older names of `channel` and `direct`. */
  readonly type: "direct" | "channel" | "stream" | "private";
  /** Channel: its ID, or its name (in JSON quotes when the name looks like a number). Direct: a list of user IDs or of e-mail addresses, or addresses separated by commas. */
  readonly to?: number | string | readonly (number | string)[] | undefined;
  /** Required for channel messages, ignored for direct ones. */
  readonly topic?: string | undefined;
  /** Markdown; cut to `max_message_length`. `/poll` or `/todo` at the beginning makes a poll or a to-do list of it. */
  readonly content: string;
  /** A widget that clients show in place of the content: buttons (`zform`) that send replies; at most 30000 characters. Polls and to-do lists are created by content that begins with `/poll` or `/todo`. */
  readonly widget_content?: {
    readonly widget_type: "zform";
    readonly extra_data: {
      readonly type: "choices";
      readonly heading: string;
      readonly choices: readonly {
        readonly short_name: string;
        readonly long_name: string;
        readonly reply: string;
        [field: string]: unknown;
      }[];
      [field: string]: unknown;
    };
  } | undefined;
  /** Whether the sender's own copy is marked as read; depends on the client program unless given. */
  readonly read_by_sender?: boolean | undefined;
  /** The event queue of the client, for local echo. */
  readonly queue_id?: string | undefined;
  /** Returned as `local_message_id` in the `message` event of that queue. */
  readonly local_id?: string | undefined;
  /** 1 to 200 characters. The first request with this key, by this account to this channel or conversation, sends a message; later ones edit it. */
  readonly upsert_key?: string | undefined;
  /** Needs `upsert_key`. A request whose version is not above the last one that was applied changes nothing. */
  readonly upsert_version?: number | undefined;
}

export interface SendMessageResult extends Answer {
  id: number;
  automatic_new_visibility_policy?: number;
  /** Only of requests with an `upsert_key`. */
  upsert_result?: "created" | "edited" | "unchanged" | "stale";
}

export interface SendSeriesNowParams {
  readonly series_id: number;
}

export interface SendSeriesNowResult extends Answer {
  id: number;
}

export interface SendTestNotificationParams {
  /** ID of a device of the caller; all devices unless given. */
  readonly device_id?: number | undefined;
}

export interface SetEditTypingStatusParams {
  readonly message_id: number;
  readonly op: "start" | "stop";
}

export interface SetTopicPolicyParams {
  readonly stream_id: number;
  /** May be a topic without messages. */
  readonly topic: string;
  /** 0 inherits from the channel, 1 mutes, 2 unmutes, 3 follows. */
  readonly visibility_policy: number;
}

export interface SetTypingStatusParams {
  readonly op: "start" | "stop";
  /** `stream` and `private` are older names of `channel` and `direct`. Default: "direct". */
  readonly type?: "direct" | "private" | "stream" | "channel" | undefined;
  /** Direct: a user ID, or a list of user IDs, which may include the caller. */
  readonly to?: number | readonly number[] | undefined;
  /** Channel: its ID. */
  readonly stream_id?: number | undefined;
  /** Channel: the topic. */
  readonly topic?: string | undefined;
}

export interface ShowNewEmailParams {
  readonly token: string;
}

export interface SkipSeriesOccurrenceParams {
  readonly series_id: number;
  /** Its local date. The next one unless given. */
  readonly occurrence?: string | undefined;
}

export interface SkipSeriesOccurrenceResult extends Answer {
  skipped: string;
  occurrences: SeriesOccurrence[];
}

export interface TakeOverMessageSeriesParams {
  readonly series_id: number;
}

export interface TestWelcomeMessageParams {
  /** Markdown, 1 to 8000 characters; not blank. */
  readonly welcome_message_custom_text: string;
}

export interface TestWelcomeMessageResult extends Answer {
  message_id: number;
}

export interface UnmuteUserParams {
  readonly muted_user_id: number;
}

export interface UpdateBotParams {
  readonly bot_id: number;
  /** 1 to 100 characters; not the name of another active account. */
  readonly full_name?: string | undefined;
  /** For administrators; only owners may grant or remove the owner role. */
  readonly role?: 100 | 200 | 300 | 400 | 600 | undefined;
  /** ID of an active person who is not a guest. For administrators; the bot gets a new key, and its event queues end. */
  readonly bot_owner_id?: number | undefined;
  /** Start of a new address, with which the bot logs in from then on. */
  readonly short_name?: string | undefined;
  /** For incoming-webhook bots: `{"webhook_secret": "…"}` with at most 200 characters, with which programs then have to sign their requests; an empty one removes it. Answers show `********`. */
  readonly config_data?: {
    readonly webhook_secret?: string | undefined;
  } | undefined;
  /** Name of a channel; empty for none. */
  readonly default_sending_stream?: string | undefined;
  /** Name of a channel; empty for none. */
  readonly default_events_register_stream?: string | undefined;
  readonly default_all_public_streams?: boolean | undefined;
  /** For outgoing webhooks: another URL, also as a JSON string. */
  readonly service_payload_url?: string | undefined;
  /** For outgoing webhooks: 1 generic, 2 Slack. */
  readonly service_interface?: 1 | 2 | undefined;
}

export interface UpdateBotResult extends Answer {
  full_name: string;
  avatar_url: string;
  default_sending_stream: string | null;
  default_events_register_stream: string | null;
  default_all_public_streams: boolean;
  bot_owner?: string;
  service_interface: number | null;
  service_payload_url: string | null;
  config_data: {
    webhook_secret?: string;
  } | null;
}

export interface UpdateBotStorageParams {
  /** Keys and values, both strings. Any string may be a key. */
  readonly storage: Readonly<Record<string, string>>;
}

export interface UpdateChannelParams {
  readonly stream_id: number;
  /** Markdown; at most `max_stream_description_length` characters. */
  readonly description?: string | undefined;
  /** At most `max_stream_name_length` characters. */
  readonly new_name?: string | undefined;
  /** By default, the history of a private channel is protected. */
  readonly is_private?: boolean | undefined;
  readonly is_web_public?: boolean | undefined;
  /** Cannot be false for channels that are not private. */
  readonly history_public_to_subscribers?: boolean | undefined;
  /** Whether new members are subscribed to it. For administrators. */
  readonly is_default_stream?: boolean | undefined;
  /** For owners. */
  readonly message_retention_days?: number | "realm_default" | "unlimited" | undefined;
  /** `false` unarchives the channel; `true` has no effect. */
  readonly is_archived?: boolean | undefined;
  /** `null` takes the channel out of its folder. */
  readonly folder_id?: number | null | undefined;
  /** `empty_topic_only` is allowed only while no message has another topic. */
  readonly topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only" | undefined;
  readonly can_add_subscribers_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_administer_channel_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Must be `role:everyone` for a private channel with protected history. */
  readonly can_create_topic_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_delete_any_message_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_delete_own_message_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_move_messages_out_of_channel_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_move_messages_within_channel_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_remove_subscribers_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_resolve_topics_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_send_message_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_subscribe_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
}

export interface UpdateChannelFolderParams {
  readonly channel_folder_id: number;
  /** As on creation. */
  readonly name?: string | undefined;
  /** As on creation. */
  readonly description?: string | undefined;
  /** A folder that contains channels, including archived ones, cannot be archived. */
  readonly is_archived?: boolean | undefined;
}

export interface UpdateDomainParams {
  readonly domain: string;
  readonly allow_subdomains: boolean;
}

export interface UpdateEventSubscriptionParams {
  readonly subscription_id: number;
  /** `https`; `http` only for an address that the operator has allowed. At most 2048 characters. */
  readonly url?: string | undefined;
  /** 1 to 20 types of events; not `heartbeat`, `presence`, `typing` and `typing_edit_message`. */
  readonly event_types?: readonly string[] | undefined;
  /** Pairs of operator and operand; a `message` event must match all of them. */
  readonly narrow?: readonly unknown[] | undefined;
  /** Whether to send messages of all public channels, also without a subscription. */
  readonly all_public_streams?: boolean | undefined;
  /** At most 200 characters. */
  readonly description?: string | undefined;
  /** `false` also resumes a disabled subscription, from its cursor. */
  readonly paused?: boolean | undefined;
}

export interface UpdateEventSubscriptionResult extends Answer {
  subscription: {
    id: number;
    bot_id: number;
    url: string;
    event_types: string[];
    narrow: string[][];
    all_public_streams: boolean;
    description: string;
    state: "active" | "failing" | "paused" | "disabled";
    state_reason: string | null;
    cursor: number;
    failing_since: number | null;
    next_attempt_at: number | null;
    signing_secrets: number;
    date_created: number;
  };
}

export interface UpdateLinkifierParams {
  readonly filter_id: number;
  /** An RE2 regular expression with named groups; unique in the organization. */
  readonly pattern: string;
  /** A URL template (RFC 6570) with a variable for each named group of the pattern. */
  readonly url_template: string;
}

export interface UpdateMessageParams {
  readonly message_id: number;
  /** Markdown; truncated to `max_message_length`. Empty content becomes `(deleted)`. */
  readonly content?: string | undefined;
  /** New topic; truncated to `max_topic_length`. */
  readonly topic?: string | undefined;
  /** Another channel. */
  readonly stream_id?: number | undefined;
  /** Which messages of the topic move: this one, this and later ones, or all of them. Default: "change_one". */
  readonly propagate_mode?: "change_one" | "change_later" | "change_all" | undefined;
  /** Whether the notification bot posts a notice of the move in the old topic. Default: false. */
  readonly send_notification_to_old_thread?: boolean | undefined;
  /** Whether the notification bot posts a notice of the move in the new topic. Default: true. */
  readonly send_notification_to_new_thread?: boolean | undefined;
  /** SHA-256 of the content to be replaced, in hexadecimal. */
  readonly prev_content_sha256?: string | undefined;
}

export interface UpdateMessageResult extends Answer {
  /** Files of the editor that this edit has taken out of the message and that no message shows any more. */
  detached_uploads: Attachment[];
}

export interface UpdateMessageFlagsParams {
  /** The IDs of the messages, at most 5000. */
  readonly messages: readonly number[];
  readonly op: "add" | "remove";
  readonly flag: "read" | "starred" | "collapsed";
}

export interface UpdateMessageFlagsResult extends Answer {
  /** As sent. */
  messages: number[];
  /** Channels whose messages were not marked as unread, ascending. */
  ignored_because_not_subscribed_channels: number[];
}

export interface UpdateMessageFlagsForNarrowParams {
  /** A message ID, `newest`, `oldest`, `first_unread` or `date`. */
  readonly anchor: string;
  /** ISO 8601 date or time, in UTC unless it has an offset. With `anchor=date`, the anchor is the first message sent at or after it. */
  readonly anchor_date?: string | undefined;
  /** Whether the message with the anchor's ID is changed if it matches. Default: true. */
  readonly include_anchor?: boolean | undefined;
  /** How many messages before the anchor. */
  readonly num_before: number;
  /** How many messages after the anchor. */
  readonly num_after: number;
  /** Terms that must all match: objects with `operator`, `operand` and `negated`, or pairs of strings. */
  readonly narrow: readonly ({
    readonly operator: string;
    readonly operand: string | number | readonly number[];
    readonly negated?: boolean | undefined;
  } | readonly string[])[] | null;
  readonly op: "add" | "remove";
  readonly flag: "read" | "starred" | "collapsed";
}

export interface UpdateMessageFlagsForNarrowResult extends Answer {
  /** How many messages are in the window. */
  processed_count: number;
  /** How many messages were changed. */
  updated_count: number;
  first_processed_id: number | null;
  last_processed_id: number | null;
  found_oldest: boolean;
  found_newest: boolean;
  /** Channels whose messages were not marked as unread, ascending. */
  ignored_because_not_subscribed_channels: number[];
}

export interface UpdateNotificationSettingsParams {
  readonly starred_message_counts?: boolean | undefined;
  readonly receives_typing_notifications?: boolean | undefined;
  readonly web_suggest_update_timezone?: boolean | undefined;
  readonly enable_drafts_synchronization?: boolean | undefined;
  readonly display_emoji_reaction_users?: boolean | undefined;
  readonly web_escape_navigates_to_home_view?: boolean | undefined;
  readonly web_inbox_show_channel_folders?: boolean | undefined;
  readonly web_left_sidebar_show_channel_folders?: boolean | undefined;
  readonly web_left_sidebar_unreads_count_summary?: boolean | undefined;
  readonly web_navigate_to_sent_message?: boolean | undefined;
  readonly enable_desktop_notifications?: boolean | undefined;
  readonly enable_sounds?: boolean | undefined;
  readonly enable_followed_topic_desktop_notifications?: boolean | undefined;
  readonly enable_followed_topic_email_notifications?: boolean | undefined;
  readonly enable_followed_topic_push_notifications?: boolean | undefined;
  readonly enable_followed_topic_audible_notifications?: boolean | undefined;
  readonly enable_followed_topic_wildcard_mentions_notify?: boolean | undefined;
  readonly enable_offline_email_notifications?: boolean | undefined;
  readonly enable_offline_push_notifications?: boolean | undefined;
  readonly enable_online_push_notifications?: boolean | undefined;
  readonly enable_digest_emails?: boolean | undefined;
  readonly message_content_in_email_notifications?: boolean | undefined;
  readonly pm_content_in_desktop_notifications?: boolean | undefined;
  readonly wildcard_mentions_notify?: boolean | undefined;
  readonly automatically_follow_topics_where_mentioned?: boolean | undefined;
  readonly presence_enabled?: boolean | undefined;
  readonly send_private_typing_notifications?: boolean | undefined;
  readonly send_stream_typing_notifications?: boolean | undefined;
  readonly send_read_receipts?: boolean | undefined;
  readonly fluid_layout_width?: boolean | undefined;
  readonly high_contrast_mode?: boolean | undefined;
  readonly translate_emoticons?: boolean | undefined;
  readonly left_side_userlist?: boolean | undefined;
  readonly hide_ai_features?: boolean | undefined;
  readonly enable_stream_desktop_notifications?: boolean | undefined;
  readonly enable_stream_email_notifications?: boolean | undefined;
  readonly enable_stream_push_notifications?: boolean | undefined;
  readonly enable_stream_audible_notifications?: boolean | undefined;
  readonly enter_sends?: boolean | undefined;
  readonly twenty_four_hour_time?: boolean | undefined;
  readonly web_channel_default_view?: 1 | 2 | 3 | 4 | undefined;
  readonly web_font_size_px?: number | undefined;
  readonly web_line_height_percent?: number | undefined;
  readonly color_scheme?: 1 | 2 | 3 | undefined;
  readonly web_home_view?: "recent" | "inbox" | "all_messages" | undefined;
  readonly emojiset?: "google" | "twitter" | "text" | undefined;
  readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
  readonly user_list_style?: 1 | 2 | 3 | undefined;
  readonly web_animate_image_previews?: "always" | "on_hover" | "never" | undefined;
  readonly web_stream_unreads_count_display_policy?: 1 | 2 | 3 | undefined;
  readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
  readonly notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none" | undefined;
  readonly email_notifications_batching_period_seconds?: number | undefined;
  readonly desktop_icon_count_display?: 1 | 2 | 3 | 4 | undefined;
  readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
  readonly automatically_follow_topics_policy?: 1 | 2 | 3 | 4 | undefined;
  readonly automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4 | undefined;
  readonly resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never" | undefined;
  readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
  readonly enable_login_emails?: boolean | undefined;
  readonly enable_marketing_emails?: boolean | undefined;
  readonly allow_private_data_export?: boolean | undefined;
}

export interface UpdateOwnProfileParams {
  /** Values of custom profile fields; `null`, `""` and `[]` remove one. */
  readonly data: readonly ({
    readonly id: number;
    readonly value: string | readonly number[] | null;
  })[];
}

export interface UpdatePresenceParams {
  readonly status: "active" | "idle";
  /** Whether to omit all fields from the answer. Default: false. */
  readonly ping_only?: boolean | undefined;
  /** Accepted from older clients and ignored; `status` decides. Default: false. */
  readonly new_user_input?: boolean | undefined;
  /** Whether to answer in the modern format, by user ID, instead of by e-mail address. Default: false. */
  readonly slim_presence?: boolean | undefined;
  /** Returns only changes since the answer with this `presence_last_update_id`, in the modern format; −1 returns everything. */
  readonly last_update_id?: number | undefined;
  /** Omits users who were last connected longer ago, in days. Default: 14. */
  readonly history_limit_days?: number | undefined;
}

export interface UpdatePresenceResult extends Answer {
  presences?: Record<string, ModernPresence | {
    aggregated: {
      client: string;
      status: "active" | "idle";
      timestamp: number;
    };
    website: WebsitePresence;
  }>;
  presence_last_update_id?: number;
  server_timestamp?: number;
}

export interface UpdateProfileFieldParams {
  readonly field_id: number;
  /** 1 to 40 characters; unique. Not allowed for a site of `realm_default_external_accounts`, which defines name and hint itself. */
  readonly name?: string | undefined;
  /** At most 80 characters. */
  readonly hint?: string | undefined;
  /** For type 3 the choices, `{key: {text, order}}`. For type 7 `subtype`: one of `realm_default_external_accounts`, or `custom` with an optional `url_pattern` that contains `%(username)s`. Ignored for other types. */
  readonly field_data?: Readonly<Record<string, unknown>> | undefined;
  /** Not for type 6, and for at most two fields. Default for a new field: false. */
  readonly display_in_profile_summary?: boolean | undefined;
  /** A hint to clients: the server accepts missing values. Default for a new field: false. */
  readonly required?: boolean | undefined;
  /** Whether users set their own value; otherwise only administrators do. Default for a new field: true. */
  readonly editable_by_user?: boolean | undefined;
  /** Only for types 1 and 7. Default for a new field: false. */
  readonly use_for_user_matching?: boolean | undefined;
}

export interface UpdateRealmParams {
  /** 1 to 40 characters. */
  readonly name?: string | undefined;
  /** At most 1000 characters. */
  readonly description?: string | undefined;
  /** Only owners may change it. */
  readonly invite_required?: boolean | undefined;
  /** Needs at least one domain (`POST /realm/domains`). Only owners may change it. */
  readonly emails_restricted_to_domains?: boolean | undefined;
  /** Only owners may change it. */
  readonly disallow_disposable_email_addresses?: boolean | undefined;
  /** Days until a new member counts as a full one. Only owners may change it. */
  readonly waiting_period_threshold?: number | undefined;
  readonly require_unique_names?: boolean | undefined;
  readonly name_changes_disabled?: boolean | undefined;
  readonly email_changes_disabled?: boolean | undefined;
  readonly avatar_changes_disabled?: boolean | undefined;
  readonly default_language?: string | undefined;
  /** At most 8000 characters. */
  readonly welcome_message_custom_text?: string | undefined;
  readonly send_welcome_emails?: boolean | undefined;
  readonly allow_message_editing?: boolean | undefined;
  readonly message_content_edit_limit_seconds?: number | "unlimited" | undefined;
  readonly message_content_delete_limit_seconds?: number | "unlimited" | undefined;
  readonly move_messages_within_stream_limit_seconds?: number | "unlimited" | undefined;
  readonly move_messages_between_streams_limit_seconds?: number | "unlimited" | undefined;
  readonly message_edit_history_visibility_policy?: "all" | "moves" | "none" | undefined;
  readonly topics_policy?: "allow_empty_topic" | "disable_empty_topic" | undefined;
  /** For direct messages, and for channels without their own setting. Only owners may change it. */
  readonly message_retention_days?: number | "unlimited" | undefined;
  readonly enable_read_receipts?: boolean | undefined;
  readonly send_channel_events_messages?: boolean | undefined;
  /** ID of a channel that the caller sees and that is not archived; -1 for none. */
  readonly new_stream_announcements_stream_id?: number | undefined;
  /** ID of a channel that the caller sees and that is not archived; -1 for none. */
  readonly signup_announcements_stream_id?: number | undefined;
  /** ID of a channel that the caller sees and that is not archived; -1 for none. */
  readonly zulip_update_announcements_stream_id?: number | undefined;
  /** ID of a channel that the caller sees and that is not archived; -1 for none. */
  readonly moderation_request_channel_id?: number | undefined;
  readonly require_e2ee_push_notifications?: boolean | undefined;
  readonly message_content_allowed_in_email_notifications?: boolean | undefined;
  /** At most 60 characters. */
  readonly default_code_block_language?: string | undefined;
  readonly digest_emails_enabled?: boolean | undefined;
  readonly digest_weekday?: number | undefined;
  readonly enable_guest_user_indicator?: boolean | undefined;
  readonly enable_guest_user_dm_warning?: boolean | undefined;
  readonly inline_image_preview?: boolean | undefined;
  readonly inline_url_embed_preview?: boolean | undefined;
  readonly org_type?: 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 1000 | undefined;
  readonly video_chat_provider?: 0 | 1 | undefined;
  /** An http or https URL of at most 200 characters, or `default`. */
  readonly jitsi_server_url?: string | undefined;
  readonly gif_rating_policy?: number | undefined;
  readonly media_preview_size?: 100 | 150 | 200 | undefined;
  readonly default_avatar_source?: "G" | "J" | undefined;
  /** Whether each method of `realm_authentication_methods` is on; absent ones are off. At least one must be on. Only owners may change it. */
  readonly authentication_methods?: Readonly<Record<string, boolean>> | undefined;
  /** Only owners may change it. */
  readonly can_manage_all_groups?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Only owners may change it. */
  readonly can_create_groups?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_create_public_channel_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_create_private_channel_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Takes `role:moderators`, `role:administrators`, `role:owners` or `role:nobody`. */
  readonly can_create_web_public_channel_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_add_subscribers_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_delete_any_message_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_delete_own_message_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_move_messages_between_channels_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_move_messages_between_topics_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_resolve_topics_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_set_topics_policy_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_set_delete_message_policy_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Takes `role:everyone` or `role:members`. */
  readonly can_access_all_users_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_create_bots_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_create_write_only_bots_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_add_custom_emoji_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_mention_many_users_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Only owners may change it. */
  readonly can_invite_users_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Only owners may change it. */
  readonly create_multiuse_invite_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly direct_message_initiator_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly direct_message_permission_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_summarize_topics_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
}

export interface UpdateRealmResult extends Answer {
  name?: "updated";
  description?: "updated";
  invite_required?: boolean;
  emails_restricted_to_domains?: boolean;
  disallow_disposable_email_addresses?: boolean;
  waiting_period_threshold?: number;
  require_unique_names?: boolean;
  name_changes_disabled?: boolean;
  email_changes_disabled?: boolean;
  avatar_changes_disabled?: boolean;
  default_language?: "updated";
  welcome_message_custom_text?: "updated";
  send_welcome_emails?: boolean;
  allow_message_editing?: boolean;
  message_content_edit_limit_seconds?: number | null;
  message_content_delete_limit_seconds?: number | null;
  move_messages_within_stream_limit_seconds?: number | null;
  move_messages_between_streams_limit_seconds?: number | null;
  message_edit_history_visibility_policy?: "updated";
  topics_policy?: "updated";
  message_retention_days?: number;
  enable_read_receipts?: boolean;
  send_channel_events_messages?: boolean;
  new_stream_announcements_stream_id?: number;
  signup_announcements_stream_id?: number;
  zulip_update_announcements_stream_id?: number;
  moderation_request_channel_id?: number;
  require_e2ee_push_notifications?: boolean;
  message_content_allowed_in_email_notifications?: boolean;
  default_code_block_language?: "updated";
  digest_emails_enabled?: boolean;
  digest_weekday?: number;
  enable_guest_user_indicator?: boolean;
  enable_guest_user_dm_warning?: boolean;
  inline_image_preview?: boolean;
  inline_url_embed_preview?: boolean;
  org_type?: number;
  video_chat_provider?: number;
  jitsi_server_url?: "updated" | null;
  gif_rating_policy?: number;
  media_preview_size?: number;
  default_avatar_source?: "updated";
  authentication_methods?: Record<string, boolean>;
  can_manage_all_groups?: GroupSettingValue;
  can_create_groups?: GroupSettingValue;
  can_create_public_channel_group?: GroupSettingValue;
  can_create_private_channel_group?: GroupSettingValue;
  can_create_web_public_channel_group?: GroupSettingValue;
  can_add_subscribers_group?: GroupSettingValue;
  can_delete_any_message_group?: GroupSettingValue;
  can_delete_own_message_group?: GroupSettingValue;
  can_move_messages_between_channels_group?: GroupSettingValue;
  can_move_messages_between_topics_group?: GroupSettingValue;
  can_resolve_topics_group?: GroupSettingValue;
  can_set_topics_policy_group?: GroupSettingValue;
  can_set_delete_message_policy_group?: GroupSettingValue;
  can_access_all_users_group?: GroupSettingValue;
  can_create_bots_group?: GroupSettingValue;
  can_create_write_only_bots_group?: GroupSettingValue;
  can_add_custom_emoji_group?: GroupSettingValue;
  can_mention_many_users_group?: GroupSettingValue;
  can_invite_users_group?: GroupSettingValue;
  create_multiuse_invite_group?: GroupSettingValue;
  direct_message_initiator_group?: GroupSettingValue;
  direct_message_permission_group?: GroupSettingValue;
  can_summarize_topics_group?: GroupSettingValue;
}

export interface UpdateSettingsParams {
  /** Has no effect if the organization reserves name changes to administrators. */
  readonly full_name?: string | undefined;
  /** The server mails a link to the new address. The account gets the address when the link is confirmed, within 24 hours. */
  readonly email?: string | undefined;
  /** Required with `new_password`. */
  readonly old_password?: string | undefined;
  /** 6 to 100 characters; the most common passwords are refused. */
  readonly new_password?: string | undefined;
  /** A name of the IANA time zone database: `Europe/Berlin`. */
  readonly timezone?: string | undefined;
  /** A language tag: `en`, `pt-br`. */
  readonly default_language?: string | undefined;
  readonly starred_message_counts?: boolean | undefined;
  readonly receives_typing_notifications?: boolean | undefined;
  readonly web_suggest_update_timezone?: boolean | undefined;
  readonly enable_drafts_synchronization?: boolean | undefined;
  readonly display_emoji_reaction_users?: boolean | undefined;
  readonly web_escape_navigates_to_home_view?: boolean | undefined;
  readonly web_inbox_show_channel_folders?: boolean | undefined;
  readonly web_left_sidebar_show_channel_folders?: boolean | undefined;
  readonly web_left_sidebar_unreads_count_summary?: boolean | undefined;
  readonly web_navigate_to_sent_message?: boolean | undefined;
  readonly enable_desktop_notifications?: boolean | undefined;
  readonly enable_sounds?: boolean | undefined;
  readonly enable_followed_topic_desktop_notifications?: boolean | undefined;
  readonly enable_followed_topic_email_notifications?: boolean | undefined;
  readonly enable_followed_topic_push_notifications?: boolean | undefined;
  readonly enable_followed_topic_audible_notifications?: boolean | undefined;
  readonly enable_followed_topic_wildcard_mentions_notify?: boolean | undefined;
  readonly enable_offline_email_notifications?: boolean | undefined;
  readonly enable_offline_push_notifications?: boolean | undefined;
  readonly enable_online_push_notifications?: boolean | undefined;
  readonly enable_digest_emails?: boolean | undefined;
  readonly message_content_in_email_notifications?: boolean | undefined;
  readonly pm_content_in_desktop_notifications?: boolean | undefined;
  readonly wildcard_mentions_notify?: boolean | undefined;
  readonly automatically_follow_topics_where_mentioned?: boolean | undefined;
  readonly presence_enabled?: boolean | undefined;
  readonly send_private_typing_notifications?: boolean | undefined;
  readonly send_stream_typing_notifications?: boolean | undefined;
  readonly send_read_receipts?: boolean | undefined;
  readonly fluid_layout_width?: boolean | undefined;
  readonly high_contrast_mode?: boolean | undefined;
  readonly translate_emoticons?: boolean | undefined;
  readonly left_side_userlist?: boolean | undefined;
  readonly hide_ai_features?: boolean | undefined;
  readonly enable_stream_desktop_notifications?: boolean | undefined;
  readonly enable_stream_email_notifications?: boolean | undefined;
  readonly enable_stream_push_notifications?: boolean | undefined;
  readonly enable_stream_audible_notifications?: boolean | undefined;
  readonly enter_sends?: boolean | undefined;
  readonly twenty_four_hour_time?: boolean | undefined;
  readonly web_channel_default_view?: 1 | 2 | 3 | 4 | undefined;
  readonly web_font_size_px?: number | undefined;
  readonly web_line_height_percent?: number | undefined;
  readonly color_scheme?: 1 | 2 | 3 | undefined;
  readonly web_home_view?: "recent" | "inbox" | "all_messages" | undefined;
  readonly emojiset?: "google" | "twitter" | "text" | undefined;
  readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
  readonly user_list_style?: 1 | 2 | 3 | undefined;
  readonly web_animate_image_previews?: "always" | "on_hover" | "never" | undefined;
  readonly web_stream_unreads_count_display_policy?: 1 | 2 | 3 | undefined;
  readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
  readonly notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none" | undefined;
  readonly email_notifications_batching_period_seconds?: number | undefined;
  readonly desktop_icon_count_display?: 1 | 2 | 3 | 4 | undefined;
  readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
  readonly automatically_follow_topics_policy?: 1 | 2 | 3 | 4 | undefined;
  readonly automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4 | undefined;
  readonly resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never" | undefined;
  readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
  readonly enable_login_emails?: boolean | undefined;
  readonly enable_marketing_emails?: boolean | undefined;
  readonly allow_private_data_export?: boolean | undefined;
  /** For administrators: changes the settings of these people instead of the caller's, except settings that affect what others see of them or which mail they get. With `skip_if_already_edited`, only settings that they have not changed themselves. */
  readonly target_users?: {
    readonly user_ids?: readonly number[] | undefined;
    readonly group_ids?: readonly number[] | undefined;
    readonly skip_if_already_edited?: boolean | undefined;
  } | undefined;
}

export interface UpdateSettingsDefaultsParams {
  readonly starred_message_counts?: boolean | undefined;
  readonly receives_typing_notifications?: boolean | undefined;
  readonly web_suggest_update_timezone?: boolean | undefined;
  readonly enable_drafts_synchronization?: boolean | undefined;
  readonly display_emoji_reaction_users?: boolean | undefined;
  readonly web_escape_navigates_to_home_view?: boolean | undefined;
  readonly web_inbox_show_channel_folders?: boolean | undefined;
  readonly web_left_sidebar_show_channel_folders?: boolean | undefined;
  readonly web_left_sidebar_unreads_count_summary?: boolean | undefined;
  readonly web_navigate_to_sent_message?: boolean | undefined;
  readonly enable_desktop_notifications?: boolean | undefined;
  readonly enable_sounds?: boolean | undefined;
  readonly enable_followed_topic_desktop_notifications?: boolean | undefined;
  readonly enable_followed_topic_email_notifications?: boolean | undefined;
  readonly enable_followed_topic_push_notifications?: boolean | undefined;
  readonly enable_followed_topic_audible_notifications?: boolean | undefined;
  readonly enable_followed_topic_wildcard_mentions_notify?: boolean | undefined;
  readonly enable_offline_email_notifications?: boolean | undefined;
  readonly enable_offline_push_notifications?: boolean | undefined;
  readonly enable_online_push_notifications?: boolean | undefined;
  readonly enable_digest_emails?: boolean | undefined;
  readonly message_content_in_email_notifications?: boolean | undefined;
  readonly pm_content_in_desktop_notifications?: boolean | undefined;
  readonly wildcard_mentions_notify?: boolean | undefined;
  readonly automatically_follow_topics_where_mentioned?: boolean | undefined;
  readonly presence_enabled?: boolean | undefined;
  readonly send_private_typing_notifications?: boolean | undefined;
  readonly send_stream_typing_notifications?: boolean | undefined;
  readonly send_read_receipts?: boolean | undefined;
  readonly fluid_layout_width?: boolean | undefined;
  readonly high_contrast_mode?: boolean | undefined;
  readonly translate_emoticons?: boolean | undefined;
  readonly left_side_userlist?: boolean | undefined;
  readonly hide_ai_features?: boolean | undefined;
  readonly enable_stream_desktop_notifications?: boolean | undefined;
  readonly enable_stream_email_notifications?: boolean | undefined;
  readonly enable_stream_push_notifications?: boolean | undefined;
  readonly enable_stream_audible_notifications?: boolean | undefined;
  readonly enter_sends?: boolean | undefined;
  readonly twenty_four_hour_time?: boolean | undefined;
  readonly web_channel_default_view?: 1 | 2 | 3 | 4 | undefined;
  readonly web_font_size_px?: number | undefined;
  readonly web_line_height_percent?: number | undefined;
  readonly color_scheme?: 1 | 2 | 3 | undefined;
  readonly web_home_view?: "recent" | "inbox" | "all_messages" | undefined;
  readonly emojiset?: "google" | "twitter" | "text" | undefined;
  readonly demote_inactive_streams?: 1 | 2 | 3 | undefined;
  readonly user_list_style?: 1 | 2 | 3 | undefined;
  readonly web_animate_image_previews?: "always" | "on_hover" | "never" | undefined;
  readonly web_stream_unreads_count_display_policy?: 1 | 2 | 3 | undefined;
  readonly web_mark_read_on_scroll_policy?: 1 | 2 | 3 | undefined;
  readonly notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none" | undefined;
  readonly email_notifications_batching_period_seconds?: number | undefined;
  readonly desktop_icon_count_display?: 1 | 2 | 3 | 4 | undefined;
  readonly realm_name_in_email_notifications_policy?: 1 | 2 | 3 | undefined;
  readonly automatically_follow_topics_policy?: 1 | 2 | 3 | 4 | undefined;
  readonly automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4 | undefined;
  readonly resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never" | undefined;
  readonly email_address_visibility?: 1 | 2 | 3 | 4 | 5 | undefined;
}

export interface UpdateStatusParams {
  /** Trimmed; up to 60 characters (Unicode code points). */
  readonly status_text?: string | undefined;
  readonly emoji_name?: string | undefined;
  /** Only with `emoji_name`; must be its code. */
  readonly emoji_code?: string | undefined;
  /** Only with `emoji_name`; must be `unicode_emoji`. */
  readonly reaction_type?: string | undefined;
}

export interface UpdateStatusForUserParams {
  readonly user_id: number;
  /** Trimmed; up to 60 characters (Unicode code points). */
  readonly status_text?: string | undefined;
  readonly emoji_name?: string | undefined;
  /** Only with `emoji_name`; must be its code. */
  readonly emoji_code?: string | undefined;
  /** Only with `emoji_name`; must be `unicode_emoji`. */
  readonly reaction_type?: string | undefined;
}

export interface UpdateSubscriptionPropertiesParams {
  /** What to change: `color` (`#` and six hex digits), or one of the switches; `in_home_view` is the opposite of `is_muted`. */
  readonly subscription_data: readonly ({
    readonly stream_id: number;
    readonly property: "color";
    readonly value: string;
  } | {
    readonly stream_id: number;
    readonly property: "is_muted" | "in_home_view" | "pin_to_top" | "desktop_notifications" | "audible_notifications" | "push_notifications" | "email_notifications" | "wildcard_mentions_notify";
    readonly value: boolean;
  })[];
}

export interface UpdateSubscriptionPropertyParams {
  readonly stream_id: number;
  /** `color`, or one of the switches; `in_home_view` is the opposite of `is_muted`. */
  readonly property: "color" | "is_muted" | "in_home_view" | "pin_to_top" | "desktop_notifications" | "audible_notifications" | "push_notifications" | "email_notifications" | "wildcard_mentions_notify";
  /** For `color`, `#` and six hex digits, not quoted; for the others, true or false. */
  readonly value: string;
}

export interface UpdateSubscriptionsParams {
  readonly add?: readonly ({
    readonly name: string;
    readonly color?: string | undefined;
    readonly description?: string | undefined;
  })[] | undefined;
  /** Names of channels. */
  readonly delete?: readonly string[] | undefined;
}

export interface UpdateSubscriptionsResult extends Answer {
  subscribed: Record<string, string[]>;
  already_subscribed: Record<string, string[]>;
  removed: string[];
  not_removed: string[];
}

export interface UpdateUserParams {
  readonly user_id: number;
  /** Only owners may grant or remove the owner role; a guest must first become a member. */
  readonly role?: 100 | 200 | 300 | 400 | 600 | undefined;
  /** 1 to 100 characters; an empty name changes nothing. */
  readonly full_name?: string | undefined;
  /** Values of custom profile fields; `null`, `""` and `[]` remove one. */
  readonly profile_data?: readonly ({
    readonly id: number;
    readonly value: string | readonly number[] | null;
  })[] | undefined;
  /** For owners whose account may change e-mail addresses; takes effect at once. */
  readonly new_email?: string | undefined;
}

export interface UpdateUserByEmailParams {
  readonly email: string;
  /** Only owners may grant or remove the owner role; a guest must first become a member. */
  readonly role?: 100 | 200 | 300 | 400 | 600 | undefined;
  /** 1 to 100 characters; an empty name changes nothing. */
  readonly full_name?: string | undefined;
  /** Values of custom profile fields; `null`, `""` and `[]` remove one. */
  readonly profile_data?: readonly ({
    readonly id: number;
    readonly value: string | readonly number[] | null;
  })[] | undefined;
  /** For owners whose account may change e-mail addresses; takes effect at once. */
  readonly new_email?: string | undefined;
}

export interface UpdateUserGroupParams {
  readonly user_group_id: number;
  /** At most 100 characters, unique among all groups. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** `false` reactivates the group; `true` has no effect. */
  readonly deactivated?: boolean | undefined;
  readonly can_add_members_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_join_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_leave_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_manage_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  /** Not `role:owners`. */
  readonly can_mention_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
  readonly can_remove_members_group?: {
    readonly new: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    };
    readonly old?: number | {
      readonly direct_members: readonly number[];
      readonly direct_subgroups: readonly number[];
    } | undefined;
  } | undefined;
}

export interface UpdateUserGroupMembersParams {
  readonly user_group_id: number;
  /** IDs of active users who are not direct members. */
  readonly add?: readonly number[] | undefined;
  /** IDs of active users who are direct members. */
  readonly delete?: readonly number[] | undefined;
  readonly add_subgroups?: readonly number[] | undefined;
  readonly delete_subgroups?: readonly number[] | undefined;
}

export interface UpdateUserGroupSubgroupsParams {
  readonly user_group_id: number;
  /** IDs of active groups that are not direct subgroups. */
  readonly add?: readonly number[] | undefined;
  /** IDs of active groups that are direct subgroups. */
  readonly delete?: readonly number[] | undefined;
}

export interface UploadAvatarParams {
  /** Its `name`, if it has one, is sent along. */
  readonly file: Blob;
}

export interface UploadAvatarResult extends Answer {
  avatar_url: string;
}

export interface UploadFileParams {
  /** Its `name`, if it has one, is sent along. */
  readonly file: Blob;
}

export interface UploadFileResult extends Answer {
  /** The path of the file on this server. */
  url: string;
  /** The same as `url`. */
  uri: string;
  filename: string;
}

export interface UploadIconParams {
  /** Its `name`, if it has one, is sent along. */
  readonly file: Blob;
}

export interface UploadIconResult extends Answer {
  icon_url: string;
}

export interface UploadLogoParams {
  /** Whether it is the logo for dark themes, which clients show instead of the other one. */
  readonly night: boolean;
  /** Its `name`, if it has one, is sent along. */
  readonly file: Blob;
}

/** The account's alert words changed: the event has all of them. */
export interface AlertWordsChangedEvent {
  id: number;
  type: "alert_words";
  alert_words: string[];
}

/** The account has uploaded a file. */
export interface AttachmentAddedEvent {
  id: number;
  type: "attachment";
  op: "add";
  attachment: Attachment;
  upload_space_used: number;
}

/** A file of the account has been deleted. */
export interface AttachmentRemovedEvent {
  id: number;
  type: "attachment";
  op: "remove";
  attachment: {
    id: number;
  };
  upload_space_used: number;
}

/** The list of messages that link to a file of the account has changed. */
export interface AttachmentUpdatedEvent {
  id: number;
  type: "attachment";
  op: "update";
  attachment: Attachment;
  upload_space_used: number;
}

/** A bot was created, or the receiver has become one of its administrators. */
export interface BotAddedEvent {
  id: number;
  type: "realm_bot";
  op: "add";
  bot: Bot;
}

/** The receiver no longer administers a bot. */
export interface BotDeletedEvent {
  id: number;
  type: "realm_bot";
  op: "delete";
  bot: {
    user_id: number;
  };
}

/** A field that only the bot's administrators see changed. */
export interface BotUpdatedEvent {
  id: number;
  type: "realm_bot";
  op: "update";
  bot: {
    default_sending_stream?: string | null;
    default_events_register_stream?: string | null;
    default_all_public_streams?: boolean;
    user_id: number;
    services?: BotService[];
  };
}

/** A channel folder was created. */
export interface ChannelFolderAddedEvent {
  id: number;
  type: "channel_folder";
  op: "add";
  channel_folder: ChannelFolder;
}

/** A channel folder changed: `data` has only the changed fields. */
export interface ChannelFolderUpdatedEvent {
  id: number;
  type: "channel_folder";
  op: "update";
  channel_folder_id: number;
  data: {
    name?: string;
    description?: string;
    rendered_description?: string;
    is_archived?: boolean;
  };
}

/** The channel folders, including archived ones, were reordered: the `order` of each is its index in the list, from 0. */
export interface ChannelFoldersReorderedEvent {
  id: number;
  type: "channel_folder";
  op: "reorder";
  order: number[];
}

/** One property of a channel changed. */
export interface ChannelUpdatedEvent {
  id: number;
  type: "stream";
  op: "update";
  stream_id: number;
  name: string;
  property: "stream_id" | "name" | "description" | "rendered_description" | "date_created" | "creator_id" | "invite_only" | "is_web_public" | "history_public_to_subscribers" | "is_archived" | "folder_id" | "first_message_id" | "message_retention_days" | "topics_policy" | "is_recently_active" | "subscriber_count" | "stream_weekly_traffic" | "stream_post_policy" | "is_announcement_only" | "can_add_subscribers_group" | "can_administer_channel_group" | "can_create_topic_group" | "can_delete_any_message_group" | "can_delete_own_message_group" | "can_move_messages_out_of_channel_group" | "can_move_messages_within_channel_group" | "can_remove_subscribers_group" | "can_resolve_topics_group" | "can_send_message_group" | "can_subscribe_group" | "is_default";
  value: string | number | boolean | null | GroupSettingValue;
  rendered_description?: string;
  history_public_to_subscribers?: boolean;
  is_web_public?: boolean;
}

/** Channels were created, or have become visible to the receiver. Sent before the receiver's subscriptions to them. */
export interface ChannelsCreatedEvent {
  id: number;
  type: "stream";
  op: "create";
  streams: Channel[];
}

/** The receiver can no longer see the channels. */
export interface ChannelsDeletedEvent {
  id: number;
  type: "stream";
  op: "delete";
  stream_ids: number[];
  streams: {
    stream_id: number;
  }[];
}

/** The default channels of new members changed: the event has all of them. For guests the list is empty. */
export interface DefaultChannelsChangedEvent {
  id: number;
  type: "default_streams";
  default_streams: number[];
}

/** The account has logged in with another device; all fields of its entry in `devices` are null. */
export interface DeviceAddedEvent {
  id: number;
  type: "device";
  op: "add";
  device_id: number;
}

/** A device was removed. */
export interface DeviceRemovedEvent {
  id: number;
  type: "device";
  op: "remove";
  device_id: number;
}

/** The push registration of a device changed: the event has only the changed fields. */
export interface DeviceUpdatedEvent {
  id: number;
  type: "device";
  op: "update";
  device_id: number;
  push_key_id?: number | null;
  push_token_id?: string | null;
  pending_push_token_id?: string | null;
  push_token_last_updated_timestamp?: number | null;
  push_registration_error_code?: string | null;
}

/** The organization has a new domain of e-mail addresses. */
export interface DomainAddedEvent {
  id: number;
  type: "realm_domains";
  op: "add";
  realm_domain: Domain;
}

/** A domain of e-mail addresses accepts subdomains now, or does not any more. */
export interface DomainChangedEvent {
  id: number;
  type: "realm_domains";
  op: "change";
  realm_domain: Domain;
}

/** The organization has removed a domain of e-mail addresses. */
export interface DomainRemovedEvent {
  id: number;
  type: "realm_domains";
  op: "remove";
  domain: string;
}

/** The account has deleted a draft. */
export interface DraftRemovedEvent {
  id: number;
  type: "drafts";
  op: "remove";
  draft_id: number;
}

/** The account has changed a draft: the event has the whole draft. */
export interface DraftUpdatedEvent {
  id: number;
  type: "drafts";
  op: "update";
  draft: Draft;
}

/** The account has stored drafts. */
export interface DraftsAddedEvent {
  id: number;
  type: "drafts";
  op: "add";
  drafts: Draft[];
}

/** A user is editing a message. */
export interface EditingStartedEvent {
  id: number;
  type: "typing_edit_message";
  op: "start";
  sender_id: number;
  message_id: number;
  recipient: {
    type: "channel";
    channel_id: number;
    topic: string;
  } | {
    type: "direct";
    user_ids: number[];
  };
}

/** A user has stopped editing a message. */
export interface EditingStoppedEvent {
  id: number;
  type: "typing_edit_message";
  op: "stop";
  sender_id: number;
  message_id: number;
  recipient: {
    type: "channel";
    channel_id: number;
    topic: string;
  } | {
    type: "direct";
    user_ids: number[];
  };
}

/** An emoji was added. */
export interface EmojiAddedEvent {
  id: number;
  type: "realm_emoji";
  op: "add";
  emoji: Emoji;
}

/** The organization's emoji changed: the event has all of them. */
export interface EmojiReplacedEvent {
  id: number;
  type: "realm_emoji";
  op: "update";
  realm_emoji: Record<string, Emoji>;
}

/** An emoji was deactivated. */
export interface EmojiUpdatedEvent {
  id: number;
  type: "realm_emoji";
  op: "update_one";
  emoji_id: string;
  data: {
    deactivated: boolean;
  };
}

/** A flag was added to messages, by the account or by the server. */
export interface FlagAddedEvent {
  id: number;
  type: "update_message_flags";
  op: "add";
  operation: "add";
  flag: string;
  messages: number[];
  all: boolean;
}

/** A flag was removed from messages. */
export interface FlagRemovedEvent {
  id: number;
  type: "update_message_flags";
  op: "remove";
  operation: "remove";
  flag: string;
  messages: number[];
  all: boolean;
  message_details?: Record<string, {
    type: "stream" | "private";
    stream_id?: number;
    topic?: string;
    user_ids?: number[];
    mentioned?: true;
  }>;
}

/** No event for about 50 seconds. Sent regardless of the queue's `event_types`. */
export interface HeartbeatEvent {
  id: number;
  type: "heartbeat";
}

/** Invitations were made, revoked or used: fetch them again. */
export interface InvitesChangedEvent {
  id: number;
  type: "invites_changed";
}

/** The organization's linkifiers changed: the event has all of them. */
export interface LinkifiersChangedEvent {
  id: number;
  type: "realm_linkifiers";
  realm_linkifiers: Linkifier[];
}

/** A message was sent. `flags` are the receiver's; only the queue with which the message was sent gets `local_message_id`. */
export interface MessageSentEvent {
  id: number;
  type: "message";
  message: EventMessage;
  flags: string[];
  local_message_id?: string;
}

/** A series of messages was created, or the account has become a manager of one. Only for queues whose `event_types` name it. */
export interface MessageSeriesAddedEvent {
  id: number;
  type: "message_series";
  op: "add";
  message_series: MessageSeries;
}

/** A series was deleted, or the account manages it no longer. Only for queues whose `event_types` name it. */
export interface MessageSeriesRemovedEvent {
  id: number;
  type: "message_series";
  op: "remove";
  series_id: number;
}

/** A series has changed, or an occurrence of it has ended: all of it. Only for queues whose `event_types` name it. */
export interface MessageSeriesUpdatedEvent {
  id: number;
  type: "message_series";
  op: "update";
  message_series: MessageSeries;
}

/** The content, topic or channel of a message changed. */
export interface MessageUpdatedEvent {
  id: number;
  type: "update_message";
  user_id: number | null;
  message_id: number;
  message_ids: number[];
  flags: string[];
  edit_timestamp: number;
  rendering_only: boolean;
  stream_id?: number;
  stream_name?: string;
  orig_content?: string;
  orig_rendered_content?: string;
  content?: string;
  rendered_content?: string;
  is_me_message?: boolean;
  orig_subject?: string;
  propagate_mode?: string;
  subject?: string;
  topic_links?: {
    text: string;
    url: string;
  }[];
  new_stream_id?: number;
}

/** Messages were removed, or moved to where the receiver cannot see them. */
export interface MessagesDeletedEvent {
  id: number;
  type: "delete_message";
  message_ids: number[];
  message_type: "stream" | "private";
  stream_id?: number;
  topic?: string;
}

/** All users that the account has muted, each with the time of muting in UNIX seconds. */
export interface MutedUsersChangedEvent {
  id: number;
  type: "muted_users";
  muted_users: {
    id: number;
    timestamp: number;
  }[];
}

/** The account has added a navigation view, or stored a setting of a built-in one. */
export interface NavigationViewAddedEvent {
  id: number;
  type: "navigation_view";
  op: "add";
  navigation_view: NavigationView;
}

/** The account has removed a view from its navigation. */
export interface NavigationViewRemovedEvent {
  id: number;
  type: "navigation_view";
  op: "remove";
  fragment: string;
}

/** The account has changed a navigation view: the event has the requested fields. */
export interface NavigationViewUpdatedEvent {
  id: number;
  type: "navigation_view";
  op: "update";
  fragment: string;
  data: {
    is_pinned?: boolean;
    name?: string;
  };
}

/** One of the account's own settings changed. */
export interface OwnSettingUpdatedEvent {
  id: number;
  type: "user_settings";
  op: "update";
  property: string;
  value: string | number | boolean;
  language_name?: string;
}

/** Other accounts were subscribed to channels. */
export interface PeersAddedEvent {
  id: number;
  type: "subscription";
  op: "peer_add";
  stream_ids: number[];
  user_ids: number[];
}

/** Other accounts were unsubscribed from channels, or deactivated. */
export interface PeersRemovedEvent {
  id: number;
  type: "subscription";
  op: "peer_remove";
  stream_ids: number[];
  user_ids: number[];
}

/** A user came back online, or started or stopped hiding their presence. */
export interface PresenceChangedEvent {
  id: number;
  type: "presence";
  presences: Record<string, ModernPresence>;
}

/** The custom profile fields changed: the event has all of them. Values of fields and of dropdown choices that are missing in it have been deleted. */
export interface ProfileFieldsChangedEvent {
  id: number;
  type: "custom_profile_fields";
  fields: ProfileField[];
}

/** A user has added a reaction to a message. */
export interface ReactionAddedEvent {
  id: number;
  type: "reaction";
  op: "add";
  message_id: number;
  user_id: number;
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
}

/** A user has removed a reaction from a message. */
export interface ReactionRemovedEvent {
  id: number;
  type: "reaction";
  op: "remove";
  message_id: number;
  user_id: number;
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
}

/** The organization was deactivated: open polls end with 401, so most clients do not get this event. */
export interface RealmDeactivatedEvent {
  id: number;
  type: "realm";
  op: "deactivated";
  realm_id: number;
}

/** One of the older `…_policy` numbers changed, with the permission that it represents; or the organization's push status changed: `push_notifications_enabled`, `push_notifications_enabled_end_timestamp`. */
export interface RealmPropertyUpdatedEvent {
  id: number;
  type: "realm";
  op: "update";
  property: string;
  value: number | boolean | null;
}

/** Settings of the organization changed: `data` has only the changed ones. `property` is `default`, or names the picture that changed. */
export interface RealmUpdatedEvent {
  id: number;
  type: "realm";
  op: "update_dict";
  property: "default" | "icon" | "logo" | "night_logo";
  data: Record<string, Record<string, {
    enabled: boolean;
    available: boolean;
    unavailable_reason?: string;
  }> | string | number | boolean | null | GroupSettingValue>;
}

/** A reminder was sent, or deleted. */
export interface ReminderRemovedEvent {
  id: number;
  type: "reminders";
  op: "remove";
  reminder_id: number;
}

/** The account has created reminders. */
export interface RemindersAddedEvent {
  id: number;
  type: "reminders";
  op: "add";
  reminders: Reminder[];
}

/** The account has saved a snippet. */
export interface SavedSnippetAddedEvent {
  id: number;
  type: "saved_snippets";
  op: "add";
  saved_snippet: SavedSnippet;
}

/** The account has deleted a snippet. */
export interface SavedSnippetRemovedEvent {
  id: number;
  type: "saved_snippets";
  op: "remove";
  saved_snippet_id: number;
}

/** The account has changed a snippet: the event has the whole snippet. */
export interface SavedSnippetUpdatedEvent {
  id: number;
  type: "saved_snippets";
  op: "update";
  saved_snippet: SavedSnippet;
}

/** A scheduled message was sent, or deleted. */
export interface ScheduledMessageRemovedEvent {
  id: number;
  type: "scheduled_messages";
  op: "remove";
  scheduled_message_id: number;
}

/** A scheduled message changed, or could not be sent. */
export interface ScheduledMessageUpdatedEvent {
  id: number;
  type: "scheduled_messages";
  op: "update";
  scheduled_message: ScheduledMessage;
}

/** Messages are scheduled. */
export interface ScheduledMessagesAddedEvent {
  id: number;
  type: "scheduled_messages";
  op: "add";
  scheduled_messages: ScheduledMessage[];
}

/** A default setting of new accounts changed. */
export interface SettingsDefaultUpdatedEvent {
  id: number;
  type: "realm_user_settings_defaults";
  op: "update";
  property: string;
  value: string | number | boolean;
}

/** Data of an integration was attached to a message. */
export interface SubmessageAddedEvent {
  id: number;
  type: "submessage";
  msg_type: string;
  message_id: number;
  submessage_id: number;
  sender_id: number;
  content: string;
}

/** One property of a subscription changed. Muting is sent twice: as `in_home_view`, then as `is_muted`. */
export type SubscriptionUpdatedEvent =
  | {
  id: number;
  type: "subscription";
  op: "update";
  stream_id: number;
  property: "color";
  value: string;
}
  | {
  id: number;
  type: "subscription";
  op: "update";
  stream_id: number;
  property: "is_muted" | "in_home_view" | "pin_to_top" | "desktop_notifications" | "audible_notifications" | "push_notifications" | "email_notifications" | "wildcard_mentions_notify";
  value: boolean;
};

/** The account was subscribed to channels. */
export interface SubscriptionsAddedEvent {
  id: number;
  type: "subscription";
  op: "add";
  subscriptions: ({
    stream_id: number;
    name: string;
    description: string;
    rendered_description: string;
    date_created: number;
    creator_id: number | null;
    invite_only: boolean;
    is_web_public: boolean;
    history_public_to_subscribers: boolean;
    is_archived: boolean;
    folder_id: number | null;
    first_message_id: number | null;
    message_retention_days: number | null;
    topics_policy: string;
    is_recently_active: boolean;
    subscriber_count: number;
    stream_weekly_traffic: number | null;
    stream_post_policy: number;
    is_announcement_only: boolean;
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    is_default?: boolean;
    color: string;
    is_muted: boolean;
    in_home_view: boolean;
    pin_to_top: boolean;
    desktop_notifications: boolean | null;
    audible_notifications: boolean | null;
    push_notifications: boolean | null;
    email_notifications: boolean | null;
    wildcard_mentions_notify: boolean | null;
    subscribers: number[];
  })[];
}

/** The account was unsubscribed from channels. */
export interface SubscriptionsRemovedEvent {
  id: number;
  type: "subscription";
  op: "remove";
  subscriptions: {
    stream_id: number;
    name: string;
  }[];
}

/** The account follows, mutes or unmutes a topic; policy 0 resets it. */
export interface TopicPolicyChangedEvent {
  id: number;
  type: "user_topic";
  stream_id: number;
  topic_name: string;
  visibility_policy: number;
  last_updated: number;
}

/** A user is typing a message. */
export type TypingStartedEvent =
  | {
  id: number;
  type: "typing";
  op: "start";
  message_type: "direct";
  sender: {
    user_id: number;
    email: string;
  };
  recipients: {
    user_id: number;
    email: string;
  }[];
}
  | {
  id: number;
  type: "typing";
  op: "start";
  message_type: "stream";
  sender: {
    user_id: number;
    email: string;
  };
  stream_id: number;
  topic: string;
};

/** A user has stopped typing. */
export type TypingStoppedEvent =
  | {
  id: number;
  type: "typing";
  op: "stop";
  message_type: "direct";
  sender: {
    user_id: number;
    email: string;
  };
  recipients: {
    user_id: number;
    email: string;
  }[];
}
  | {
  id: number;
  type: "typing";
  op: "stop";
  message_type: "stream";
  sender: {
    user_id: number;
    email: string;
  };
  stream_id: number;
  topic: string;
};

/** An account was created, or has become visible to the receiver. `delivery_email` is null if the receiver may not see it. */
export interface UserAddedEvent {
  id: number;
  type: "realm_user";
  op: "add";
  person: User;
}

/** A group was created. */
export interface UserGroupAddedEvent {
  id: number;
  type: "user_group";
  op: "add";
  group: UserGroup;
}

/** Accounts became direct members: they were added, created or reactivated, or their role changed. */
export interface UserGroupMembersAddedEvent {
  id: number;
  type: "user_group";
  op: "add_members";
  group_id: number;
  user_ids: number[];
}

/** Accounts are no longer direct members. */
export interface UserGroupMembersRemovedEvent {
  id: number;
  type: "user_group";
  op: "remove_members";
  group_id: number;
  user_ids: number[];
}

/** A group was deactivated, for clients without support for deactivated groups. */
export interface UserGroupRemovedEvent {
  id: number;
  type: "user_group";
  op: "remove";
  group_id: number;
}

/** Groups became direct subgroups. */
export interface UserGroupSubgroupsAddedEvent {
  id: number;
  type: "user_group";
  op: "add_subgroups";
  group_id: number;
  direct_subgroup_ids: number[];
}

/** Groups are no longer direct subgroups. */
export interface UserGroupSubgroupsRemovedEvent {
  id: number;
  type: "user_group";
  op: "remove_subgroups";
  group_id: number;
  direct_subgroup_ids: number[];
}

/** A group changed: `data` has only the changed fields. */
export interface UserGroupUpdatedEvent {
  id: number;
  type: "user_group";
  op: "update";
  group_id: number;
  data: {
    name?: string;
    description?: string;
    deactivated?: boolean;
    can_add_members_group?: GroupSettingValue;
    can_join_group?: GroupSettingValue;
    can_leave_group?: GroupSettingValue;
    can_manage_group?: GroupSettingValue;
    can_mention_group?: GroupSettingValue;
    can_remove_members_group?: GroupSettingValue;
  };
}

/** The receiver no longer sees an account. Clients without `user_list_incomplete` show a placeholder in its place. */
export interface UserRemovedEvent {
  id: number;
  type: "realm_user";
  op: "remove";
  person: {
    user_id: number;
    full_name: string;
  };
}

/** A user's status changed: the event has only the changed fields. */
export interface UserStatusChangedEvent {
  id: number;
  type: "user_status";
  user_id: number;
  status_text?: string;
  emoji_name?: string;
  emoji_code?: string;
  reaction_type?: string;
}

/** Exactly one property of an account changed. */
export interface UserUpdatedEvent {
  id: number;
  type: "realm_user";
  op: "update";
  person: {
    user_id: number;
    full_name: string;
  } | {
    user_id: number;
    role: number;
  } | {
    user_id: number;
    is_active: boolean;
  } | {
    user_id: number;
    new_email: string;
  } | {
    user_id: number;
    delivery_email: string | null;
  } | {
    user_id: number;
    bot_owner_id: number;
  } | {
    user_id: number;
    timezone: string;
    email: string;
  } | {
    user_id: number;
    custom_profile_field: {
      id: number;
      value: string | null;
      rendered_value?: string;
    };
  } | {
    user_id: number;
    avatar_source: string;
    avatar_version: number;
    avatar_url: string;
    avatar_url_medium: string;
  };
}

/** Scheduled messages are not sent, because a condition holds. Only for queues whose `event_types` name it. */
export interface WithheldMessagesAddedEvent {
  id: number;
  type: "withheld_messages";
  op: "add";
  withheld_messages: WithheldMessage[];
}

/** An event of a queue that has registered with all capabilities, as the client does. */
export type ServerEvent =
  | AlertWordsChangedEvent
  | AttachmentAddedEvent
  | AttachmentRemovedEvent
  | AttachmentUpdatedEvent
  | BotAddedEvent
  | BotDeletedEvent
  | BotUpdatedEvent
  | ChannelFolderAddedEvent
  | ChannelFolderUpdatedEvent
  | ChannelFoldersReorderedEvent
  | ChannelUpdatedEvent
  | ChannelsCreatedEvent
  | ChannelsDeletedEvent
  | DefaultChannelsChangedEvent
  | DeviceAddedEvent
  | DeviceRemovedEvent
  | DeviceUpdatedEvent
  | DomainAddedEvent
  | DomainChangedEvent
  | DomainRemovedEvent
  | DraftRemovedEvent
  | DraftUpdatedEvent
  | DraftsAddedEvent
  | EditingStartedEvent
  | EditingStoppedEvent
  | EmojiAddedEvent
  | EmojiReplacedEvent
  | EmojiUpdatedEvent
  | FlagAddedEvent
  | FlagRemovedEvent
  | HeartbeatEvent
  | InvitesChangedEvent
  | LinkifiersChangedEvent
  | MessageSentEvent
  | MessageSeriesAddedEvent
  | MessageSeriesRemovedEvent
  | MessageSeriesUpdatedEvent
  | MessageUpdatedEvent
  | MessagesDeletedEvent
  | MutedUsersChangedEvent
  | NavigationViewAddedEvent
  | NavigationViewRemovedEvent
  | NavigationViewUpdatedEvent
  | OwnSettingUpdatedEvent
  | PeersAddedEvent
  | PeersRemovedEvent
  | PresenceChangedEvent
  | ProfileFieldsChangedEvent
  | ReactionAddedEvent
  | ReactionRemovedEvent
  | RealmDeactivatedEvent
  | RealmPropertyUpdatedEvent
  | RealmUpdatedEvent
  | ReminderRemovedEvent
  | RemindersAddedEvent
  | SavedSnippetAddedEvent
  | SavedSnippetRemovedEvent
  | SavedSnippetUpdatedEvent
  | ScheduledMessageRemovedEvent
  | ScheduledMessageUpdatedEvent
  | ScheduledMessagesAddedEvent
  | SettingsDefaultUpdatedEvent
  | SubmessageAddedEvent
  | SubscriptionUpdatedEvent
  | SubscriptionsAddedEvent
  | SubscriptionsRemovedEvent
  | TopicPolicyChangedEvent
  | TypingStartedEvent
  | TypingStoppedEvent
  | UserAddedEvent
  | UserGroupAddedEvent
  | UserGroupMembersAddedEvent
  | UserGroupMembersRemovedEvent
  | UserGroupRemovedEvent
  | UserGroupSubgroupsAddedEvent
  | UserGroupSubgroupsRemovedEvent
  | UserGroupUpdatedEvent
  | UserRemovedEvent
  | UserStatusChangedEvent
  | UserUpdatedEvent
  | WithheldMessagesAddedEvent;

/** Parameters and answer of every operation, by its id. */
export interface Operations {
  "add-alert-words": { params: AddAlertWordsParams; result: AddAlertWordsResult };
  "add-apns-token": { params: AddApnsTokenParams; result: Answer };
  "add-default-channel": { params: AddDefaultChannelParams; result: Answer };
  "add-domain": { params: AddDomainParams; result: AddDomainResult };
  "add-fcm-token": { params: AddFcmTokenParams; result: Answer };
  "add-navigation-view": { params: AddNavigationViewParams; result: Answer };
  "add-reaction": { params: AddReactionParams; result: Answer };
  "add-realm-emoji": { params: AddRealmEmojiParams; result: Answer };
  "add-submessage": { params: AddSubmessageParams; result: Answer };
  "add-subscriptions": { params: AddSubscriptionsParams; result: AddSubscriptionsResult };
  "archive-channel": { params: ArchiveChannelParams; result: Answer };
  "check-in": { params: CheckInParams; result: CheckInResult };
  "check-in-at-series": { params: CheckInAtSeriesParams; result: CheckInAtSeriesResult };
  "confirm-new-email": { params: ConfirmNewEmailParams; result: Response };
  "create-bot": { params: CreateBotParams; result: CreateBotResult };
  "create-channel": { params: CreateChannelParams; result: CreateChannelResult };
  "create-channel-folder": { params: CreateChannelFolderParams; result: CreateChannelFolderResult };
  "create-drafts": { params: CreateDraftsParams; result: CreateDraftsResult };
  "create-event-subscription": { params: CreateEventSubscriptionParams; result: CreateEventSubscriptionResult };
  "create-invite-link": { params: CreateInviteLinkParams; result: CreateInviteLinkResult };
  "create-linkifier": { params: CreateLinkifierParams; result: CreateLinkifierResult };
  "create-message-series": { params: CreateMessageSeriesParams; result: CreateMessageSeriesResult };
  "create-profile-field": { params: CreateProfileFieldParams; result: CreateProfileFieldResult };
  "create-reminder": { params: CreateReminderParams; result: CreateReminderResult };
  "create-resumable-upload": { params: NoParams; result: Response };
  "create-saved-snippet": { params: CreateSavedSnippetParams; result: CreateSavedSnippetResult };
  "create-scheduled-message": { params: CreateScheduledMessageParams; result: CreateScheduledMessageResult };
  "create-user": { params: CreateUserParams; result: CreateUserResult };
  "create-user-group": { params: CreateUserGroupParams; result: CreateUserGroupResult };
  "deactivate-bot": { params: DeactivateBotParams; result: Answer };
  "deactivate-own-user": { params: NoParams; result: Answer };
  "deactivate-realm": { params: DeactivateRealmParams; result: Answer };
  "deactivate-realm-emoji": { params: DeactivateRealmEmojiParams; result: Answer };
  "deactivate-user": { params: DeactivateUserParams; result: Answer };
  "deactivate-user-group": { params: DeactivateUserGroupParams; result: Answer };
  "delete-avatar": { params: NoParams; result: DeleteAvatarResult };
  "delete-bot-storage": { params: DeleteBotStorageParams; result: Answer };
  "delete-draft": { params: DeleteDraftParams; result: Answer };
  "delete-event-queue": { params: DeleteEventQueueParams; result: Answer };
  "delete-event-subscription": { params: DeleteEventSubscriptionParams; result: Answer };
  "delete-icon": { params: NoParams; result: DeleteIconResult };
  "delete-logo": { params: DeleteLogoParams; result: Answer };
  "delete-message": { params: DeleteMessageParams; result: Answer };
  "delete-message-series": { params: DeleteMessageSeriesParams; result: Answer };
  "delete-profile-field": { params: DeleteProfileFieldParams; result: Answer };
  "delete-reminder": { params: DeleteReminderParams; result: Answer };
  "delete-resumable-upload": { params: DeleteResumableUploadParams; result: Response };
  "delete-saved-snippet": { params: DeleteSavedSnippetParams; result: Answer };
  "delete-scheduled-message": { params: DeleteScheduledMessageParams; result: Answer };
  "delete-topic": { params: DeleteTopicParams; result: DeleteTopicResult };
  "dev-fetch-api-key": { params: DevFetchApiKeyParams; result: DevFetchApiKeyResult };
  "download-file": { params: DownloadFileParams; result: Response };
  "edit-draft": { params: EditDraftParams; result: Answer };
  "edit-message-series": { params: EditMessageSeriesParams; result: EditMessageSeriesResult };
  "edit-navigation-view": { params: EditNavigationViewParams; result: Answer };
  "edit-saved-snippet": { params: EditSavedSnippetParams; result: Answer };
  "edit-scheduled-message": { params: EditScheduledMessageParams; result: Answer };
  "fetch-api-key": { params: FetchApiKeyParams; result: FetchApiKeyResult };
  "find-resumable-upload": { params: FindResumableUploadParams; result: Response };
  "get-attachments": { params: NoParams; result: GetAttachmentsResult };
  "get-avatar": { params: GetAvatarParams; result: Response };
  "get-bot-api-key": { params: GetBotApiKeyParams; result: GetBotApiKeyResult };
  "get-bot-storage": { params: GetBotStorageParams; result: GetBotStorageResult };
  "get-bot-webhook": { params: GetBotWebhookParams; result: GetBotWebhookResult };
  "get-bot-webhook-deliveries": { params: GetBotWebhookDeliveriesParams; result: GetBotWebhookDeliveriesResult };
  "get-channel": { params: GetChannelParams; result: GetChannelResult };
  "get-channel-email-address": { params: GetChannelEmailAddressParams; result: GetChannelEmailAddressResult };
  "get-channel-id": { params: GetChannelIdParams; result: GetChannelIdResult };
  "get-drafts": { params: NoParams; result: GetDraftsResult };
  "get-emoji-data": { params: GetEmojiDataParams; result: Response };
  "get-event-subscription": { params: GetEventSubscriptionParams; result: GetEventSubscriptionResult };
  "get-event-subscription-deliveries": { params: GetEventSubscriptionDeliveriesParams; result: GetEventSubscriptionDeliveriesResult };
  "get-event-subscriptions": { params: GetEventSubscriptionsParams; result: GetEventSubscriptionsResult };
  "get-events": { params: GetEventsParams; result: GetEventsResult };
  "get-file-temporary-url": { params: GetFileTemporaryUrlParams; result: GetFileTemporaryUrlResult };
  "get-invites": { params: NoParams; result: GetInvitesResult };
  "get-message": { params: GetMessageParams; result: GetMessageResult };
  "get-message-history": { params: GetMessageHistoryParams; result: GetMessageHistoryResult };
  "get-messages": { params: GetMessagesParams; result: GetMessagesResult };
  "get-navigation-views": { params: NoParams; result: GetNavigationViewsResult };
  "get-own-user": { params: NoParams; result: GetOwnUserResult };
  "get-presence": { params: GetPresenceParams; result: GetPresenceResult };
  "get-read-receipts": { params: GetReadReceiptsParams; result: GetReadReceiptsResult };
  "get-saved-snippets": { params: NoParams; result: GetSavedSnippetsResult };
  "get-server-settings": { params: NoParams; result: GetServerSettingsResult };
  "get-settings": { params: NoParams; result: GetSettingsResult };
  "get-status": { params: GetStatusParams; result: GetStatusResult };
  "get-subscription-status": { params: GetSubscriptionStatusParams; result: GetSubscriptionStatusResult };
  "get-user": { params: GetUserParams; result: GetUserResult };
  "get-user-by-email": { params: GetUserByEmailParams; result: GetUserByEmailResult };
  "get-user-channels": { params: GetUserChannelsParams; result: GetUserChannelsResult };
  "get-user-group-membership": { params: GetUserGroupMembershipParams; result: GetUserGroupMembershipResult };
  "get-users": { params: GetUsersParams; result: GetUsersResult };
  "jwt-fetch-api-key": { params: JwtFetchApiKeyParams; result: JwtFetchApiKeyResult };
  "list-alert-words": { params: NoParams; result: ListAlertWordsResult };
  "list-bots": { params: NoParams; result: ListBotsResult };
  "list-channel-folders": { params: ListChannelFoldersParams; result: ListChannelFoldersResult };
  "list-channels": { params: ListChannelsParams; result: ListChannelsResult };
  "list-conditions": { params: NoParams; result: ListConditionsResult };
  "list-domains": { params: NoParams; result: ListDomainsResult };
  "list-failed-scheduled-messages": { params: NoParams; result: ListFailedScheduledMessagesResult };
  "list-linkifiers": { params: NoParams; result: ListLinkifiersResult };
  "list-message-series": { params: NoParams; result: ListMessageSeriesResult };
  "list-presences": { params: NoParams; result: ListPresencesResult };
  "list-profile-fields": { params: NoParams; result: ListProfileFieldsResult };
  "list-realm-emoji": { params: NoParams; result: ListRealmEmojiResult };
  "list-reminders": { params: NoParams; result: ListRemindersResult };
  "list-scheduled-messages": { params: NoParams; result: ListScheduledMessagesResult };
  "list-series-occurrences": { params: ListSeriesOccurrencesParams; result: ListSeriesOccurrencesResult };
  "list-subscribers": { params: ListSubscribersParams; result: ListSubscribersResult };
  "list-subscriptions": { params: ListSubscriptionsParams; result: ListSubscriptionsResult };
  "list-topics": { params: ListTopicsParams; result: ListTopicsResult };
  "list-user-group-members": { params: ListUserGroupMembersParams; result: ListUserGroupMembersResult };
  "list-user-group-subgroups": { params: ListUserGroupSubgroupsParams; result: ListUserGroupSubgroupsResult };
  "list-user-groups": { params: ListUserGroupsParams; result: ListUserGroupsResult };
  "list-withheld-messages": { params: NoParams; result: ListWithheldMessagesResult };
  "mark-all-as-read": { params: NoParams; result: MarkAllAsReadResult };
  "mark-stream-as-read": { params: MarkStreamAsReadParams; result: MarkStreamAsReadResult };
  "mark-topic-as-read": { params: MarkTopicAsReadParams; result: MarkTopicAsReadResult };
  "match-narrow": { params: MatchNarrowParams; result: MatchNarrowResult };
  "mute-topic": { params: MuteTopicParams; result: Answer };
  "mute-user": { params: MuteUserParams; result: Answer };
  "pause-message-series": { params: PauseMessageSeriesParams; result: Answer };
  "ping-event-subscription": { params: PingEventSubscriptionParams; result: Answer };
  "preview-message-series": { params: PreviewMessageSeriesParams; result: PreviewMessageSeriesResult };
  "reactivate-user": { params: ReactivateUserParams; result: Answer };
  "read-default-logo": { params: NoParams; result: Response };
  "read-file": { params: ReadFileParams; result: Response };
  "read-file-by-temporary-url": { params: ReadFileByTemporaryUrlParams; result: Response };
  "read-image-placeholder": { params: NoParams; result: Response };
  "read-picture": { params: ReadPictureParams; result: Response };
  "read-thumbnail": { params: ReadThumbnailParams; result: Response };
  "receive-webhook": { params: ReceiveWebhookParams; result: ReceiveWebhookResult };
  "regenerate-api-key": { params: NoParams; result: RegenerateApiKeyResult };
  "regenerate-bot-api-key": { params: RegenerateBotApiKeyParams; result: RegenerateBotApiKeyResult };
  "register": { params: RegisterParams; result: RegisterResult };
  "register-client-device": { params: NoParams; result: RegisterClientDeviceResult };
  "register-push-device": { params: RegisterPushDeviceParams; result: Answer };
  "remove-alert-words": { params: RemoveAlertWordsParams; result: RemoveAlertWordsResult };
  "remove-apns-token": { params: RemoveApnsTokenParams; result: Answer };
  "remove-attachment": { params: RemoveAttachmentParams; result: Answer };
  "remove-client-device": { params: RemoveClientDeviceParams; result: Answer };
  "remove-default-channel": { params: RemoveDefaultChannelParams; result: Answer };
  "remove-domain": { params: RemoveDomainParams; result: Answer };
  "remove-fcm-token": { params: RemoveFcmTokenParams; result: Answer };
  "remove-linkifier": { params: RemoveLinkifierParams; result: Answer };
  "remove-navigation-view": { params: RemoveNavigationViewParams; result: Answer };
  "remove-own-profile": { params: RemoveOwnProfileParams; result: Answer };
  "remove-reaction": { params: RemoveReactionParams; result: Answer };
  "remove-subscriptions": { params: RemoveSubscriptionsParams; result: RemoveSubscriptionsResult };
  "remove-user-group": { params: RemoveUserGroupParams; result: Answer };
  "render-message": { params: RenderMessageParams; result: RenderMessageResult };
  "reorder-channel-folders": { params: ReorderChannelFoldersParams; result: Answer };
  "reorder-linkifiers": { params: ReorderLinkifiersParams; result: Answer };
  "reorder-profile-fields": { params: ReorderProfileFieldsParams; result: Answer };
  "replay-event-subscription": { params: ReplayEventSubscriptionParams; result: ReplayEventSubscriptionResult };
  "report-message": { params: ReportMessageParams; result: Answer };
  "resend-email-invite": { params: ResendEmailInviteParams; result: Answer };
  "resume-message-series": { params: ResumeMessageSeriesParams; result: Answer };
  "resume-upload": { params: ResumeUploadParams; result: Response };
  "revoke-email-invite": { params: RevokeEmailInviteParams; result: Answer };
  "revoke-invite-link": { params: RevokeInviteLinkParams; result: Answer };
  "rotate-bot-webhook": { params: RotateBotWebhookParams; result: RotateBotWebhookResult };
  "rotate-event-subscription-secret": { params: RotateEventSubscriptionSecretParams; result: RotateEventSubscriptionSecretResult };
  "send-invites": { params: SendInvitesParams; result: Answer };
  "send-message": { params: SendMessageParams; result: SendMessageResult };
  "send-series-now": { params: SendSeriesNowParams; result: SendSeriesNowResult };
  "send-test-notification": { params: SendTestNotificationParams; result: Answer };
  "set-edit-typing-status": { params: SetEditTypingStatusParams; result: Answer };
  "set-topic-policy": { params: SetTopicPolicyParams; result: Answer };
  "set-typing-status": { params: SetTypingStatusParams; result: Answer };
  "show-new-email": { params: ShowNewEmailParams; result: Response };
  "skip-series-occurrence": { params: SkipSeriesOccurrenceParams; result: SkipSeriesOccurrenceResult };
  "take-over-message-series": { params: TakeOverMessageSeriesParams; result: Answer };
  "test-welcome-message": { params: TestWelcomeMessageParams; result: TestWelcomeMessageResult };
  "unmute-user": { params: UnmuteUserParams; result: Answer };
  "update-bot": { params: UpdateBotParams; result: UpdateBotResult };
  "update-bot-storage": { params: UpdateBotStorageParams; result: Answer };
  "update-channel": { params: UpdateChannelParams; result: Answer };
  "update-channel-folder": { params: UpdateChannelFolderParams; result: Answer };
  "update-domain": { params: UpdateDomainParams; result: Answer };
  "update-event-subscription": { params: UpdateEventSubscriptionParams; result: UpdateEventSubscriptionResult };
  "update-linkifier": { params: UpdateLinkifierParams; result: Answer };
  "update-message": { params: UpdateMessageParams; result: UpdateMessageResult };
  "update-message-flags": { params: UpdateMessageFlagsParams; result: UpdateMessageFlagsResult };
  "update-message-flags-for-narrow": { params: UpdateMessageFlagsForNarrowParams; result: UpdateMessageFlagsForNarrowResult };
  "update-notification-settings": { params: UpdateNotificationSettingsParams; result: Answer };
  "update-own-profile": { params: UpdateOwnProfileParams; result: Answer };
  "update-presence": { params: UpdatePresenceParams; result: UpdatePresenceResult };
  "update-profile-field": { params: UpdateProfileFieldParams; result: Answer };
  "update-realm": { params: UpdateRealmParams; result: UpdateRealmResult };
  "update-settings": { params: UpdateSettingsParams; result: Answer };
  "update-settings-defaults": { params: UpdateSettingsDefaultsParams; result: Answer };
  "update-status": { params: UpdateStatusParams; result: Answer };
  "update-status-for-user": { params: UpdateStatusForUserParams; result: Answer };
  "update-subscription-properties": { params: UpdateSubscriptionPropertiesParams; result: Answer };
  "update-subscription-property": { params: UpdateSubscriptionPropertyParams; result: Answer };
  "update-subscriptions": { params: UpdateSubscriptionsParams; result: UpdateSubscriptionsResult };
  "update-user": { params: UpdateUserParams; result: Answer };
  "update-user-by-email": { params: UpdateUserByEmailParams; result: Answer };
  "update-user-group": { params: UpdateUserGroupParams; result: Answer };
  "update-user-group-members": { params: UpdateUserGroupMembersParams; result: Answer };
  "update-user-group-subgroups": { params: UpdateUserGroupSubgroupsParams; result: Answer };
  "upload-avatar": { params: UploadAvatarParams; result: UploadAvatarResult };
  "upload-file": { params: UploadFileParams; result: UploadFileResult };
  "upload-icon": { params: UploadIconParams; result: UploadIconResult };
  "upload-logo": { params: UploadLogoParams; result: Answer };
}

/** Every operation as a method. */
export interface Methods {
  /**
   * Add alert words: `POST /api/v1/users/me/alert_words`.
   *
   * The answer has all alert words of the account.
   *
   * Repeated safely.
   */
  addAlertWords(params: AddAlertWordsParams, options?: CallOptions): Promise<AddAlertWordsResult>;

  /**
   * Add an APNs device token: `POST /api/v1/users/me/apns_device_token`.
   *
   * Registers for an older kind of push, which this server does not send. The token is removed when its device registers with `POST /mobile_push/register`.
   *
   * Repeated safely.
   */
  addApnsToken(params: AddApnsTokenParams, options?: CallOptions): Promise<Answer>;

  /**
   * Add a default channel: `POST /api/v1/default_streams`.
   *
   * New members will be subscribed to it. For administrators. Private and archived channels are refused.
   *
   * Repeated safely.
   */
  addDefaultChannel(params: AddDefaultChannelParams, options?: CallOptions): Promise<Answer>;

  /**
   * Add a domain of e-mail addresses: `POST /api/v1/realm/domains`.
   *
   * An organization has at most 1000.
   *
   * Repeated safely.
   */
  addDomain(params: AddDomainParams, options?: CallOptions): Promise<AddDomainResult>;

  /**
   * Add an FCM registration token: `POST /api/v1/users/me/android_gcm_reg_id`.
   *
   * Registers for an older kind of push, which this server does not send. The token is removed when its device registers with `POST /mobile_push/register`.
   *
   * Repeated safely.
   */
  addFcmToken(params: AddFcmTokenParams, options?: CallOptions): Promise<Answer>;

  /**
   * Add a navigation view: `POST /api/v1/navigation_views`.
   *
   * Repeated safely.
   */
  addNavigationView(params: AddNavigationViewParams, options?: CallOptions): Promise<Answer>;

  /**
   * Add an emoji reaction: `POST /api/v1/messages/{message_id}/reactions`.
   *
   * If the message already has this emoji, the name of the earlier reaction is used.
   *
   * Repeated safely.
   */
  addReaction(params: AddReactionParams, options?: CallOptions): Promise<Answer>;

  /**
   * Add an emoji: `POST /api/v1/realm/emoji/{emoji_name}`.
   *
   * The form has exactly one file part, of any name: a picture of at most 5 MiB (AVIF, GIF, JPEG, PNG, WebP). It is cut to a square of 64 × 64 pixels, and stays animated. The name has up to 100 of a-z, 0-9, _ and -.
   */
  addRealmEmoji(params: AddRealmEmojiParams, options?: CallOptions): Promise<Answer>;

  /**
   * Attach data to a message: `POST /api/v1/submessage`.
   *
   * For integrations such as polls. The sender of the message attaches the first data; after that, every account with access to it may.
   *
   * Repeated safely.
   */
  addSubmessage(params: AddSubmessageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Subscribe to channels: `POST /api/v1/users/me/subscriptions`.
   *
   * Channels that do not exist are created, as with `POST /channels/create` and its parameters.
   *
   * Repeated safely.
   */
  addSubscriptions(params: AddSubscriptionsParams, options?: CallOptions): Promise<AddSubscriptionsResult>;

  /**
   * Archive a channel: `DELETE /api/v1/streams/{stream_id}`.
   *
   * Its messages stay, its name stays in use, and it accepts no new messages. For administrators of the channel.
   *
   * Repeated safely.
   */
  archiveChannel(params: ArchiveChannelParams, options?: CallOptions): Promise<Answer>;

  /**
   * Check in at a scheduled message: `POST /api/v1/scheduled_messages/{scheduled_message_id}/check_in`.
   *
   * For the sender, and for accounts that a `check_in` condition of the message names. After a check-in the message is not sent; if the condition has an `interval`, it is due that many seconds after the check-in instead.
   *
   * Repeated safely.
   */
  checkIn(params: CheckInParams, options?: CallOptions): Promise<CheckInResult>;

  /**
   * Check in at a message series: `POST /api/v1/message_series/{series_id}/check_in`.
   *
   * For the author, and for accounts that a `check_in` condition of the series names. The planned occurrence is then not sent; the next one is, unless there is another check-in.
   *
   * Repeated safely.
   */
  checkInAtSeries(params: CheckInAtSeriesParams, options?: CallOptions): Promise<CheckInAtSeriesResult>;

  /**
   * Confirm a new e-mail address: `POST /accounts/confirm_new_email/{token}`.
   *
   * The button on the page of `GET /accounts/confirm_new_email/{token}` sends this request. The account gets the address at once. A link works once, within 24 hours.
   */
  confirmNewEmail(params: ConfirmNewEmailParams, options?: CallOptions): Promise<Response>;

  /**
   * Create a bot: `POST /api/v1/bots`.
   *
   * The caller becomes its owner. The bot is a member without subscriptions.
   */
  createBot(params: CreateBotParams, options?: CallOptions): Promise<CreateBotResult>;

  /**
   * Create a channel: `POST /api/v1/channels/create`.
   *
   * The creator is subscribed only if listed.
   *
   * Repeated safely.
   */
  createChannel(params: CreateChannelParams, options?: CallOptions): Promise<CreateChannelResult>;

  /**
   * Create a channel folder: `POST /api/v1/channel_folders/create`.
   *
   * The new folder is the last in the order. An organization has at most 500 folders, including archived ones.
   *
   * Repeated safely.
   */
  createChannelFolder(params: CreateChannelFolderParams, options?: CallOptions): Promise<CreateChannelFolderResult>;

  /**
   * Create drafts: `POST /api/v1/drafts`.
   *
   * Repeated safely.
   */
  createDrafts(params: CreateDraftsParams, options?: CallOptions): Promise<CreateDraftsResult>;

  /**
   * Create an event subscription: `POST /api/v1/event_subscriptions`.
   *
   * For the bot itself, its owner and administrators of the organization. From now on, events of the bot are sent to the URL, signed with `signing_secret`, which no later answer shows.
   */
  createEventSubscription(params: CreateEventSubscriptionParams, options?: CallOptions): Promise<CreateEventSubscriptionResult>;

  /**
   * Create a reusable invitation link: `POST /api/v1/invites/multiuse`.
   *
   * For members of `create_multiuse_invite_group`. Its page asks for an e-mail address, and mails a link for that address. An organization has at most 1000 that can be used.
   */
  createInviteLink(params?: CreateInviteLinkParams, options?: CallOptions): Promise<CreateInviteLinkResult>;

  /**
   * Create a linkifier: `POST /api/v1/realm/filters`.
   *
   * The new linkifier is applied after all others. An organization has at most 100.
   *
   * Repeated safely.
   */
  createLinkifier(params: CreateLinkifierParams, options?: CallOptions): Promise<CreateLinkifierResult>;

  /**
   * Create a message series: `POST /api/v1/message_series`.
   *
   * A message and a calendar rule. The next occurrence is a scheduled message of its author, and each one plans the next when it is sent.
   *
   * Repeated safely.
   */
  createMessageSeries(params: CreateMessageSeriesParams, options?: CallOptions): Promise<CreateMessageSeriesResult>;

  /**
   * Create a custom profile field: `POST /api/v1/realm/profile_fields`.
   *
   * The new field is the last in the order. An organization has at most 100.
   *
   * Repeated safely.
   */
  createProfileField(params: CreateProfileFieldParams, options?: CallOptions): Promise<CreateProfileFieldResult>;

  /**
   * Create a reminder of a message: `POST /api/v1/reminders`.
   *
   * The notification bot will send the caller a direct message with a link to the message and its text at that time.
   *
   * Repeated safely.
   */
  createReminder(params: CreateReminderParams, options?: CallOptions): Promise<CreateReminderResult>;

  /**
   * Begin a resumable upload: `POST /api/v1/tus`.
   *
   * Resumable uploads speak tus 1.0.0. Use a client library of that protocol, with the account's credentials in the header `Authorization`. An upload expires after 24 hours.
   */
  createResumableUpload(params?: NoParams, options?: CallOptions): Promise<Response>;

  /**
   * Create a saved snippet: `POST /api/v1/saved_snippets`.
   *
   * Repeated safely.
   */
  createSavedSnippet(params: CreateSavedSnippetParams, options?: CallOptions): Promise<CreateSavedSnippetResult>;

  /**
   * Schedule a message: `POST /api/v1/scheduled_messages`.
   *
   * The message is checked as if it were sent now, and again when it is due. Until then no other user can see it.
   *
   * Repeated safely.
   */
  createScheduledMessage(params: CreateScheduledMessageParams, options?: CallOptions): Promise<CreateScheduledMessageResult>;

  /**
   * Create a user: `POST /api/v1/users`.
   *
   * For administrators whose account may create users; the new account is a member.
   */
  createUser(params: CreateUserParams, options?: CallOptions): Promise<CreateUserResult>;

  /**
   * Create a user group: `POST /api/v1/user_groups/create`.
   *
   * The creator is a member only if listed.
   *
   * Repeated safely.
   */
  createUserGroup(params: CreateUserGroupParams, options?: CallOptions): Promise<CreateUserGroupResult>;

  /**
   * Deactivate a bot: `DELETE /api/v1/bots/{bot_id}`.
   *
   * For the bot's owner and for administrators of the organization.
   *
   * Repeated safely.
   */
  deactivateBot(params: DeactivateBotParams, options?: CallOptions): Promise<Answer>;

  /**
   * Deactivate one's own account: `DELETE /api/v1/users/me`.
   *
   * The caller's bots are deactivated first, as with `DELETE /users/{user_id}`. Nothing is deleted.
   */
  deactivateOwnUser(params?: NoParams, options?: CallOptions): Promise<Answer>;

  /**
   * Deactivate the organization: `POST /api/v1/realm/deactivate`.
   *
   * From then on every request of its accounts is refused. Nothing is deleted. Only an operator can reactivate it (`carillon organization reactivate`).
   *
   * Repeated safely.
   */
  deactivateRealm(params?: DeactivateRealmParams, options?: CallOptions): Promise<Answer>;

  /**
   * Deactivate an emoji: `DELETE /api/v1/realm/emoji/{emoji_name}`.
   *
   * For administrators and the author of the emoji. Messages and reactions that have it stay as they are.
   *
   * Repeated safely.
   */
  deactivateRealmEmoji(params: DeactivateRealmEmojiParams, options?: CallOptions): Promise<Answer>;

  /**
   * Deactivate a user: `DELETE /api/v1/users/{user_id}`.
   *
   * For administrators of the organization. The user's bots are deactivated first, in separate steps: repeat a request that fails halfway. After a success none of their keys works. Bots have a separate operation.
   */
  deactivateUser(params: DeactivateUserParams, options?: CallOptions): Promise<Answer>;

  /**
   * Deactivate a user group: `POST /api/v1/user_groups/{user_group_id}/deactivate`.
   *
   * For accounts that may manage the group. A group that a setting uses, or that is a subgroup, cannot be deactivated: `objections` lists its uses.
   *
   * Repeated safely.
   */
  deactivateUserGroup(params: DeactivateUserGroupParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove your avatar: `DELETE /api/v1/users/me/avatar`.
   *
   * You get a generated picture again.
   *
   * Repeated safely.
   */
  deleteAvatar(params?: NoParams, options?: CallOptions): Promise<DeleteAvatarResult>;

  /**
   * Delete a bot's stored data: `DELETE /api/v1/bot_storage`.
   *
   * Repeated safely.
   */
  deleteBotStorage(params?: DeleteBotStorageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a draft: `DELETE /api/v1/drafts/{draft_id}`.
   *
   * Repeated safely.
   */
  deleteDraft(params: DeleteDraftParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete an event queue: `DELETE /api/v1/events`.
   *
   * Repeated safely.
   */
  deleteEventQueue(params: DeleteEventQueueParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete an event subscription: `DELETE /api/v1/event_subscriptions/{subscription_id}`.
   *
   * For the bot itself, its owner and administrators of the organization. A request in progress may still arrive.
   *
   * Repeated safely.
   */
  deleteEventSubscription(params: DeleteEventSubscriptionParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove the organization's icon: `DELETE /api/v1/realm/icon`.
   *
   * Repeated safely.
   */
  deleteIcon(params?: NoParams, options?: CallOptions): Promise<DeleteIconResult>;

  /**
   * Remove the organization's logo: `DELETE /api/v1/realm/logo`.
   *
   * Repeated safely.
   */
  deleteLogo(params: DeleteLogoParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a message: `DELETE /api/v1/messages/{message_id}`.
   *
   * For holders of `can_delete_any_message_group` of the organization or the channel. Also for the sender, or the owner of the bot that sent it, with `can_delete_own_message_group` and within the organization's time limit.
   *
   * Repeated safely.
   */
  deleteMessage(params: DeleteMessageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a message series: `DELETE /api/v1/message_series/{series_id}`.
   *
   * Its pending messages are deleted too. What was sent stays.
   *
   * Repeated safely.
   */
  deleteMessageSeries(params: DeleteMessageSeriesParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a custom profile field: `DELETE /api/v1/realm/profile_fields/{field_id}`.
   *
   * All users' values of the field are deleted, too.
   *
   * Repeated safely.
   */
  deleteProfileField(params: DeleteProfileFieldParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a reminder: `DELETE /api/v1/reminders/{reminder_id}`.
   *
   * Repeated safely.
   */
  deleteReminder(params: DeleteReminderParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a resumable upload: `DELETE /api/v1/tus/{upload_id}`.
   *
   * The file of a finished upload stays.
   */
  deleteResumableUpload(params: DeleteResumableUploadParams, options?: CallOptions): Promise<Response>;

  /**
   * Delete a saved snippet: `DELETE /api/v1/saved_snippets/{saved_snippet_id}`.
   *
   * Repeated safely.
   */
  deleteSavedSnippet(params: DeleteSavedSnippetParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a scheduled message: `DELETE /api/v1/scheduled_messages/{scheduled_message_id}`.
   *
   * Repeated safely.
   */
  deleteScheduledMessage(params: DeleteScheduledMessageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete a topic: `POST /api/v1/streams/{stream_id}/delete_topic`.
   *
   * Removes the messages of the topic that the caller may read, the newest first, in steps that stay done. What is sent to the topic meanwhile stays.
   */
  deleteTopic(params: DeleteTopicParams, options?: CallOptions): Promise<DeleteTopicResult>;

  /**
   * Get an API key without a password: `POST /api/v1/dev_fetch_api_key`.
   *
   * Only on a server with `DEVELOPMENT=true`.
   */
  devFetchApiKey(params: DevFetchApiKeyParams, options?: CallOptions): Promise<DevFetchApiKeyResult>;

  /**
   * Download a file: `GET /user_uploads/download/{path_id}`.
   *
   * The same answer as that of reading the file, but browsers save it.
   */
  downloadFile(params: DownloadFileParams, options?: CallOptions): Promise<Response>;

  /**
   * Edit a draft: `PATCH /api/v1/drafts/{draft_id}`.
   *
   * Repeated safely.
   */
  editDraft(params: EditDraftParams, options?: CallOptions): Promise<Answer>;

  /**
   * Edit a message series: `PATCH /api/v1/message_series/{series_id}`.
   *
   * What is not given keeps its value. Whoever changes type, recipient, topic or content becomes the author. Only the author changes `can_manage_group`.
   *
   * Repeated safely.
   */
  editMessageSeries(params: EditMessageSeriesParams, options?: CallOptions): Promise<EditMessageSeriesResult>;

  /**
   * Update a navigation view: `PATCH /api/v1/navigation_views/{fragment}`.
   *
   * Repeated safely.
   */
  editNavigationView(params: EditNavigationViewParams, options?: CallOptions): Promise<Answer>;

  /**
   * Edit a saved snippet: `PATCH /api/v1/saved_snippets/{saved_snippet_id}`.
   *
   * Repeated safely.
   */
  editSavedSnippet(params: EditSavedSnippetParams, options?: CallOptions): Promise<Answer>;

  /**
   * Edit a scheduled message: `PATCH /api/v1/scheduled_messages/{scheduled_message_id}`.
   *
   * Parameters that are not given keep their values. A failed message is scheduled again by a new time.
   *
   * Repeated safely.
   */
  editScheduledMessage(params: EditScheduledMessageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Exchange a password for the API key: `POST /api/v1/fetch_api_key`.
   *
   * Returns the existing key, and never changes it.
   */
  fetchApiKey(params: FetchApiKeyParams, options?: CallOptions): Promise<FetchApiKeyResult>;

  /** Get the offset of a resumable upload: `HEAD /api/v1/tus/{upload_id}`. */
  findResumableUpload(params: FindResumableUploadParams, options?: CallOptions): Promise<Response>;

  /** Get the account's uploaded files: `GET /api/v1/attachments`. */
  getAttachments(params?: NoParams, options?: CallOptions): Promise<GetAttachmentsResult>;

  /**
   * Get a user's picture: `GET /avatar/{user_id}`.
   *
   * If the caller may see the account's e-mail address, the answer is 302 to a picture derived from it; otherwise a PNG that reveals nothing about it and may be cached for a day. Requires credentials, so that strangers cannot find out who has an account.
   */
  getAvatar(params: GetAvatarParams, options?: CallOptions): Promise<Response>;

  /**
   * Get a bot's API key: `GET /api/v1/bots/{bot_id}/api_key`.
   *
   * For the bot's owner and for administrators of the organization; only for owners if the bot has the owner role.
   */
  getBotApiKey(params: GetBotApiKeyParams, options?: CallOptions): Promise<GetBotApiKeyResult>;

  /** Get a bot's stored data: `GET /api/v1/bot_storage`. */
  getBotStorage(params?: GetBotStorageParams, options?: CallOptions): Promise<GetBotStorageResult>;

  /**
   * Get the endpoint of an outgoing webhook bot: `GET /api/v1/bots/{bot_id}/webhook`.
   *
   * For the bot's owner and for administrators of the organization.
   */
  getBotWebhook(params: GetBotWebhookParams, options?: CallOptions): Promise<GetBotWebhookResult>;

  /**
   * Get the last calls of an outgoing webhook bot: `GET /api/v1/bots/{bot_id}/webhook/deliveries`.
   *
   * For the bot's owner and for administrators of the organization: the last 100 attempts of at most 14 days, newest first.
   */
  getBotWebhookDeliveries(params: GetBotWebhookDeliveriesParams, options?: CallOptions): Promise<GetBotWebhookDeliveriesResult>;

  /**
   * Get a channel: `GET /api/v1/streams/{stream_id}`.
   *
   * Archived channels are treated as unknown.
   */
  getChannel(params: GetChannelParams, options?: CallOptions): Promise<GetChannelResult>;

  /**
   * Get a channel's e-mail address: `GET /api/v1/streams/{stream_id}/email_address`.
   *
   * Always refused: this server has no mail gateway.
   */
  getChannelEmailAddress(params: GetChannelEmailAddressParams, options?: CallOptions): Promise<GetChannelEmailAddressResult>;

  /**
   * Get a channel's ID by its name: `GET /api/v1/get_stream_id`.
   *
   * For active channels that the caller may read.
   */
  getChannelId(params: GetChannelIdParams, options?: CallOptions): Promise<GetChannelIdResult>;

  /** Get drafts: `GET /api/v1/drafts`. */
  getDrafts(params?: NoParams, options?: CallOptions): Promise<GetDraftsResult>;

  /**
   * Get the names of the emoji: `GET /static/emoji/{version}`.
   *
   * A JSON object: `{"code_to_names": {"1f642": ["smile", …], …}}`, with the name that is shown as the first. Clients get the address, which contains the current version, as `server_emoji_data_url`; its answer may be cached forever. With any other version, the answer is the current one, too, for clients that use servers of two releases.
   */
  getEmojiData(params: GetEmojiDataParams, options?: CallOptions): Promise<Response>;

  /**
   * Get an event subscription: `GET /api/v1/event_subscriptions/{subscription_id}`.
   *
   * For the bot itself, its owner and administrators of the organization.
   */
  getEventSubscription(params: GetEventSubscriptionParams, options?: CallOptions): Promise<GetEventSubscriptionResult>;

  /**
   * Get the last calls of an event subscription: `GET /api/v1/event_subscriptions/{subscription_id}/deliveries`.
   *
   * For the bot itself, its owner and administrators of the organization. The last 100 attempts of at most 14 days, newest first.
   */
  getEventSubscriptionDeliveries(params: GetEventSubscriptionDeliveriesParams, options?: CallOptions): Promise<GetEventSubscriptionDeliveriesResult>;

  /**
   * Get the event subscriptions of a bot: `GET /api/v1/event_subscriptions`.
   *
   * For the bot itself, its owner and administrators of the organization.
   */
  getEventSubscriptions(params?: GetEventSubscriptionsParams, options?: CallOptions): Promise<GetEventSubscriptionsResult>;

  /**
   * Get events from a queue: `GET /api/v1/events`.
   *
   * Waits for an event. After about 50 seconds without one the answer is a `heartbeat` event.
   */
  getEvents(params: GetEventsParams, options?: CallOptions): Promise<GetEventsResult>;

  /**
   * Get an address of a file that needs no credentials: `GET /api/v1/user_uploads/{path_id}`.
   *
   * The address works for 60 seconds.
   */
  getFileTemporaryUrl(params: GetFileTemporaryUrlParams, options?: CallOptions): Promise<GetFileTemporaryUrlResult>;

  /**
   * Get all invitations: `GET /api/v1/invites`.
   *
   * Those that can still be used: administrators get all, others their own. Not for guests.
   */
  getInvites(params?: NoParams, options?: CallOptions): Promise<GetInvitesResult>;

  /**
   * Get a message: `GET /api/v1/messages/{message_id}`.
   *
   * As in `GET /messages`, even if the caller has not received the message.
   */
  getMessage(params: GetMessageParams, options?: CallOptions): Promise<GetMessageResult>;

  /**
   * Get a message's edit history: `GET /api/v1/messages/{message_id}/history`.
   *
   * Oldest entry first: the original message, then each change, as far as the organization's settings show them.
   */
  getMessageHistory(params: GetMessageHistoryParams, options?: CallOptions): Promise<GetMessageHistoryResult>;

  /**
   * Get messages: `GET /api/v1/messages`.
   *
   * A window around an anchor in the messages that match a narrow, or a list of messages by ID. Searches the caller's own history, unless a term widens the search. At most 5000 messages in one request; at most 1000 are recommended.
   */
  getMessages(params?: GetMessagesParams, options?: CallOptions): Promise<GetMessagesResult>;

  /**
   * Get all navigation views: `GET /api/v1/navigation_views`.
   *
   * Views that the account has added or changed.
   */
  getNavigationViews(params?: NoParams, options?: CallOptions): Promise<GetNavigationViewsResult>;

  /** Get one's own account: `GET /api/v1/users/me`. */
  getOwnUser(params?: NoParams, options?: CallOptions): Promise<GetOwnUserResult>;

  /** Get a user's presence: `GET /api/v1/users/{user_id_or_email}/presence`. */
  getPresence(params: GetPresenceParams, options?: CallOptions): Promise<GetPresenceResult>;

  /**
   * Get who has read a message: `GET /api/v1/messages/{message_id}/read_receipts`.
   *
   * Active accounts with `send_read_receipts` on, except the sender, accounts that have muted the caller, and accounts that the caller has muted.
   */
  getReadReceipts(params: GetReadReceiptsParams, options?: CallOptions): Promise<GetReadReceiptsResult>;

  /** Get all saved snippets: `GET /api/v1/saved_snippets`. */
  getSavedSnippets(params?: NoParams, options?: CallOptions): Promise<GetSavedSnippetsResult>;

  /**
   * Get the server's settings: `GET /api/v1/server_settings`.
   *
   * Needs no login. The organization is the one whose subdomain is the first label of `Host`, else the first one of the server.
   */
  getServerSettings(params?: NoParams, options?: CallOptions): Promise<GetServerSettingsResult>;

  /** Get one's own settings: `GET /api/v1/settings`. */
  getSettings(params?: NoParams, options?: CallOptions): Promise<GetSettingsResult>;

  /** Get a user's status: `GET /api/v1/users/{user_id}/status`. */
  getStatus(params: GetStatusParams, options?: CallOptions): Promise<GetStatusResult>;

  /**
   * Check whether a user is subscribed to a channel: `GET /api/v1/users/{user_id}/subscriptions/{stream_id}`.
   *
   * Deactivated users have no subscriptions.
   */
  getSubscriptionStatus(params: GetSubscriptionStatusParams, options?: CallOptions): Promise<GetSubscriptionStatusResult>;

  /** Get a user: `GET /api/v1/users/{user_id}`. */
  getUser(params: GetUserParams, options?: CallOptions): Promise<GetUserResult>;

  /**
   * Get a user by e-mail address: `GET /api/v1/users/{email}`.
   *
   * The user's visible address, or the delivery address if the caller may see it.
   */
  getUserByEmail(params: GetUserByEmailParams, options?: CallOptions): Promise<GetUserByEmailResult>;

  /**
   * List the channels that a user is subscribed to: `GET /api/v1/users/{user_id}/channels`.
   *
   * Active channels whose metadata the caller may see. Deactivated users have no subscriptions.
   */
  getUserChannels(params: GetUserChannelsParams, options?: CallOptions): Promise<GetUserChannelsResult>;

  /** Check whether a user is in a user group: `GET /api/v1/user_groups/{user_group_id}/members/{user_id}`. */
  getUserGroupMembership(params: GetUserGroupMembershipParams, options?: CallOptions): Promise<GetUserGroupMembershipResult>;

  /**
   * Get all users: `GET /api/v1/users`.
   *
   * Includes bots and deactivated accounts.
   */
  getUsers(params?: GetUsersParams, options?: CallOptions): Promise<GetUsersResult>;

  /**
   * Exchange a signed token for the API key: `POST /api/v1/jwt/fetch_api_key`.
   *
   * For programs that sign people in themselves and share a key with the server (`JWT_AUTH_KEY`). The token is a JSON Web Token with the claims `email` and `exp`.
   */
  jwtFetchApiKey(params: JwtFetchApiKeyParams, options?: CallOptions): Promise<JwtFetchApiKeyResult>;

  /** Get all alert words: `GET /api/v1/users/me/alert_words`. */
  listAlertWords(params?: NoParams, options?: CallOptions): Promise<ListAlertWordsResult>;

  /**
   * Get one's own bots: `GET /api/v1/bots`.
   *
   * Active bots, with their keys. Not for guests.
   */
  listBots(params?: NoParams, options?: CallOptions): Promise<ListBotsResult>;

  /**
   * List channel folders: `GET /api/v1/channel_folders`.
   *
   * All of the organization, in order.
   */
  listChannelFolders(params?: ListChannelFoldersParams, options?: CallOptions): Promise<ListChannelFoldersResult>;

  /**
   * List channels: `GET /api/v1/streams`.
   *
   * Includes only channels whose metadata the caller, or a bot's owner, may see, regardless of the parameters.
   */
  listChannels(params?: ListChannelsParams, options?: CallOptions): Promise<ListChannelsResult>;

  /**
   * List conditions of scheduled messages: `GET /api/v1/scheduled_messages/conditions`.
   *
   * The caller's undelivered messages that have conditions, in the order of their time.
   */
  listConditions(params?: NoParams, options?: CallOptions): Promise<ListConditionsResult>;

  /**
   * List domains of e-mail addresses: `GET /api/v1/realm/domains`.
   *
   * With the setting `emails_restricted_to_domains`, new accounts need an address of one of these domains.
   */
  listDomains(params?: NoParams, options?: CallOptions): Promise<ListDomainsResult>;

  /**
   * List why scheduled messages failed: `GET /api/v1/scheduled_messages/failures`.
   *
   * The caller's scheduled messages that could not be sent, in the order of their time.
   */
  listFailedScheduledMessages(params?: NoParams, options?: CallOptions): Promise<ListFailedScheduledMessagesResult>;

  /**
   * List linkifiers: `GET /api/v1/realm/linkifiers`.
   *
   * All of the organization, in the order in which they are applied.
   */
  listLinkifiers(params?: NoParams, options?: CallOptions): Promise<ListLinkifiersResult>;

  /**
   * List message series: `GET /api/v1/message_series`.
   *
   * The series that the caller has written, manages, or sees as an administrator of their channel, by ID.
   */
  listMessageSeries(params?: NoParams, options?: CallOptions): Promise<ListMessageSeriesResult>;

  /**
   * Get everybody's presence: `GET /api/v1/realm/presence`.
   *
   * By e-mail address, for users who were connected within the last 14 days.
   */
  listPresences(params?: NoParams, options?: CallOptions): Promise<ListPresencesResult>;

  /**
   * Get all custom profile fields: `GET /api/v1/realm/profile_fields`.
   *
   * All of the organization, in order.
   */
  listProfileFields(params?: NoParams, options?: CallOptions): Promise<ListProfileFieldsResult>;

  /**
   * Get the organization's own emoji: `GET /api/v1/realm/emoji`.
   *
   * By ID. Deactivated emoji are included, because messages and reactions still show them.
   */
  listRealmEmoji(params?: NoParams, options?: CallOptions): Promise<ListRealmEmojiResult>;

  /**
   * List reminders: `GET /api/v1/reminders`.
   *
   * The caller's reminders that have not been sent, including failed ones, in order of their time.
   */
  listReminders(params?: NoParams, options?: CallOptions): Promise<ListRemindersResult>;

  /**
   * List scheduled messages: `GET /api/v1/scheduled_messages`.
   *
   * The caller's undelivered messages, including failed ones, in order of their time.
   */
  listScheduledMessages(params?: NoParams, options?: CallOptions): Promise<ListScheduledMessagesResult>;

  /**
   * List the occurrences of a series: `GET /api/v1/message_series/{series_id}/occurrences`.
   *
   * The next occurrences, and how the last 100 ended, newest first.
   */
  listSeriesOccurrences(params: ListSeriesOccurrencesParams, options?: CallOptions): Promise<ListSeriesOccurrencesResult>;

  /** List a channel's subscribers: `GET /api/v1/streams/{stream_id}/members`. */
  listSubscribers(params: ListSubscribersParams, options?: CallOptions): Promise<ListSubscribersResult>;

  /**
   * List one's subscriptions: `GET /api/v1/users/me/subscriptions`.
   *
   * Omits archived channels.
   */
  listSubscriptions(params?: ListSubscriptionsParams, options?: CallOptions): Promise<ListSubscriptionsResult>;

  /**
   * List a channel's topics: `GET /api/v1/users/me/{stream_id}/topics`.
   *
   * Topics with a message that the caller may read, newest first. Archived channels are treated as unknown.
   */
  listTopics(params: ListTopicsParams, options?: CallOptions): Promise<ListTopicsResult>;

  /** Get the members of a user group: `GET /api/v1/user_groups/{user_group_id}/members`. */
  listUserGroupMembers(params: ListUserGroupMembersParams, options?: CallOptions): Promise<ListUserGroupMembersResult>;

  /** Get the subgroups of a user group: `GET /api/v1/user_groups/{user_group_id}/subgroups`. */
  listUserGroupSubgroups(params: ListUserGroupSubgroupsParams, options?: CallOptions): Promise<ListUserGroupSubgroupsResult>;

  /**
   * Get user groups: `GET /api/v1/user_groups`.
   *
   * All of the organization, including system groups, sorted by ID.
   */
  listUserGroups(params?: ListUserGroupsParams, options?: CallOptions): Promise<ListUserGroupsResult>;

  /**
   * List withheld messages: `GET /api/v1/scheduled_messages/withheld`.
   *
   * The caller's messages of the last 30 days that were not sent because one of their conditions held, newest first.
   */
  listWithheldMessages(params?: NoParams, options?: CallOptions): Promise<ListWithheldMessagesResult>;

  /**
   * Mark all messages as read: `POST /api/v1/mark_all_as_read`.
   *
   * Marks all received messages, including muted ones and those in channels that the caller has left.
   */
  markAllAsRead(params?: NoParams, options?: CallOptions): Promise<MarkAllAsReadResult>;

  /** Mark messages in a channel as read: `POST /api/v1/mark_stream_as_read`. */
  markStreamAsRead(params: MarkStreamAsReadParams, options?: CallOptions): Promise<MarkStreamAsReadResult>;

  /** Mark messages in a topic as read: `POST /api/v1/mark_topic_as_read`. */
  markTopicAsRead(params: MarkTopicAsReadParams, options?: CallOptions): Promise<MarkTopicAsReadResult>;

  /**
   * Check if messages match a narrow: `GET /api/v1/messages/matches_narrow`.
   *
   * Returns which of the given messages in the caller's own history match. At most 5000 messages in one request.
   */
  matchNarrow(params: MatchNarrowParams, options?: CallOptions): Promise<MatchNarrowResult>;

  /**
   * Mute or unmute a topic: `PATCH /api/v1/users/me/subscriptions/muted_topics`.
   *
   * The older form of `POST /user_topics`. Give `stream_id` or `stream`, not both.
   *
   * Repeated safely.
   */
  muteTopic(params: MuteTopicParams, options?: CallOptions): Promise<Answer>;

  /**
   * Mute a user: `POST /api/v1/users/me/muted_users/{muted_user_id}`.
   *
   * Any account except the caller's own, including bots and deactivated accounts.
   *
   * Repeated safely.
   */
  muteUser(params: MuteUserParams, options?: CallOptions): Promise<Answer>;

  /**
   * Pause a message series: `POST /api/v1/message_series/{series_id}/pause`.
   *
   * Repeated safely.
   */
  pauseMessageSeries(params: PauseMessageSeriesParams, options?: CallOptions): Promise<Answer>;

  /**
   * Send a ping to the URL of an event subscription: `POST /api/v1/event_subscriptions/{subscription_id}/ping`.
   *
   * For the bot itself, its owner and administrators of the organization. A ping is sent in any state, and does not wait for events. At most 10 in a minute. The list of deliveries shows the answer.
   *
   * Repeated safely.
   */
  pingEventSubscription(params: PingEventSubscriptionParams, options?: CallOptions): Promise<Answer>;

  /**
   * Preview a calendar rule: `POST /api/v1/message_series/preview`.
   *
   * Lists the occurrences of a rule, and stores nothing.
   */
  previewMessageSeries(params: PreviewMessageSeriesParams, options?: CallOptions): Promise<PreviewMessageSeriesResult>;

  /**
   * Reactivate a user: `POST /api/v1/users/{user_id}/reactivate`.
   *
   * For administrators of the organization. The account gets its key, role, subscriptions and groups back; the bots of a user stay deactivated. The caller becomes the owner of a bot whose owner is deactivated.
   *
   * Repeated safely.
   */
  reactivateUser(params: ReactivateUserParams, options?: CallOptions): Promise<Answer>;

  /** Read the logo of organizations without one: `GET /static/images/logo/carillon.svg`. */
  readDefaultLogo(params?: NoParams, options?: CallOptions): Promise<Response>;

  /**
   * Read a file: `GET /user_uploads/{path_id}`.
   *
   * Supports one byte range, `If-None-Match` and `If-Range`. Types that a browser would run are sent as attachments.
   */
  readFile(params: ReadFileParams, options?: CallOptions): Promise<Response>;

  /** Read a file by its temporary address: `GET /user_uploads/temporary/{address}`. */
  readFileByTemporaryUrl(params: ReadFileByTemporaryUrlParams, options?: CallOptions): Promise<Response>;

  /** Read the picture that is shown until thumbnails are made: `GET /static/images/loading/loader-black.svg`. */
  readImagePlaceholder(params?: NoParams, options?: CallOptions): Promise<Response>;

  /**
   * Read an avatar, icon, logo or emoji: `GET /user_avatars/{picture_path}`.
   *
   * Answers and events have the addresses of pictures. The picture of an address never changes, so clients may keep it.
   */
  readPicture(params: ReadPictureParams, options?: CallOptions): Promise<Response>;

  /**
   * Read a thumbnail of an image: `GET /user_uploads/thumbnail/{address}`.
   *
   * The address is the path of the file and the name of a format, such as `840x560.webp` or `840x560-anim.webp`. If that format does not exist, the answer is the closest one: animated as asked, then of the nearest width.
   */
  readThumbnail(params: ReadThumbnailParams, options?: CallOptions): Promise<Response>;

  /**
   * Receive a webhook: `POST /api/v1/external/{integration}`.
   *
   * Another program posts its payload, and the bot sends messages about it. The integrations and their messages are described in [Integrations](../integrations.md).
   */
  receiveWebhook(params: ReceiveWebhookParams, options?: CallOptions): Promise<ReceiveWebhookResult>;

  /**
   * Regenerate one's own API key: `POST /api/v1/users/me/api_key/regenerate`.
   *
   * The old key becomes invalid at once. Open polls with it get `UNAUTHORIZED`; event queues stay and accept the new key.
   */
  regenerateApiKey(params?: NoParams, options?: CallOptions): Promise<RegenerateApiKeyResult>;

  /**
   * Regenerate a bot's API key: `POST /api/v1/bots/{bot_id}/api_key/regenerate`.
   *
   * For the bot's owner and for administrators of the organization. The old key becomes invalid at once.
   */
  regenerateBotApiKey(params: RegenerateBotApiKeyParams, options?: CallOptions): Promise<RegenerateBotApiKeyResult>;

  /**
   * Register an event queue: `POST /api/v1/register`.
   *
   * Returns a snapshot of the requested data, and creates a queue of all events after the snapshot.
   */
  register(params?: RegisterParams, options?: CallOptions): Promise<RegisterResult>;

  /**
   * Register a logged-in device: `POST /api/v1/register_client_device`.
   *
   * Clients call this after each login, before `POST /mobile_push/register`. An account has at most 100 devices: a further one replaces the one that has been unused for longest.
   *
   * Repeated safely.
   */
  registerClientDevice(params?: NoParams, options?: CallOptions): Promise<RegisterClientDeviceResult>;

  /**
   * Register a device for end-to-end encrypted push notifications: `POST /api/v1/mobile_push/register`.
   *
   * `push_key` and `push_key_id` belong together, and so do the four other parameters of the token: at least one of the two groups has to be complete, for a device's first registration both. The server passes the token on to the push service later, and reports the result in `device` events.
   *
   * Repeated safely.
   */
  registerPushDevice(params: RegisterPushDeviceParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove alert words: `DELETE /api/v1/users/me/alert_words`.
   *
   * The answer has the remaining words.
   *
   * Repeated safely.
   */
  removeAlertWords(params: RemoveAlertWordsParams, options?: CallOptions): Promise<RemoveAlertWordsResult>;

  /**
   * Remove an APNs device token: `DELETE /api/v1/users/me/apns_device_token`.
   *
   * Repeated safely.
   */
  removeApnsToken(params: RemoveApnsTokenParams, options?: CallOptions): Promise<Answer>;

  /**
   * Delete an uploaded file: `DELETE /api/v1/attachments/{attachment_id}`.
   *
   * Only the account that has uploaded the file may delete it. Messages keep their links, which are then answered with 404.
   *
   * Repeated safely.
   */
  removeAttachment(params: RemoveAttachmentParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove a registered device: `POST /api/v1/remove_client_device`.
   *
   * Repeated safely.
   */
  removeClientDevice(params: RemoveClientDeviceParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove a default channel: `DELETE /api/v1/default_streams`.
   *
   * Existing subscriptions stay. For administrators.
   *
   * Repeated safely.
   */
  removeDefaultChannel(params: RemoveDefaultChannelParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove a domain of e-mail addresses: `DELETE /api/v1/realm/domains/{domain}`.
   *
   * Accounts keep their addresses. Removing the last domain turns `emails_restricted_to_domains` off.
   *
   * Repeated safely.
   */
  removeDomain(params: RemoveDomainParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove an FCM registration token: `DELETE /api/v1/users/me/android_gcm_reg_id`.
   *
   * Repeated safely.
   */
  removeFcmToken(params: RemoveFcmTokenParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove a linkifier: `DELETE /api/v1/realm/filters/{filter_id}`.
   *
   * Messages sent before are not changed.
   *
   * Repeated safely.
   */
  removeLinkifier(params: RemoveLinkifierParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove a navigation view: `DELETE /api/v1/navigation_views/{fragment}`.
   *
   * Resets a built-in view to its default.
   *
   * Repeated safely.
   */
  removeNavigationView(params: RemoveNavigationViewParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove your values of custom profile fields: `DELETE /api/v1/users/me/profile_data`.
   *
   * Deletes all values, or none if a field is unknown or reserved to administrators.
   *
   * Repeated safely.
   */
  removeOwnProfile(params: RemoveOwnProfileParams, options?: CallOptions): Promise<Answer>;

  /**
   * Remove an emoji reaction: `DELETE /api/v1/messages/{message_id}/reactions`.
   *
   * Repeated safely.
   */
  removeReaction(params: RemoveReactionParams, options?: CallOptions): Promise<Answer>;

  /**
   * Unsubscribe from channels: `DELETE /api/v1/users/me/subscriptions`.
   *
   * Repeated safely.
   */
  removeSubscriptions(params: RemoveSubscriptionsParams, options?: CallOptions): Promise<RemoveSubscriptionsResult>;

  /**
   * Deactivate a user group (older spelling): `DELETE /api/v1/user_groups/{user_group_id}`.
   *
   * The same as `POST /user_groups/{user_group_id}/deactivate`: older programs call it. Groups are never deleted.
   *
   * Repeated safely.
   */
  removeUserGroup(params: RemoveUserGroupParams, options?: CallOptions): Promise<Answer>;

  /**
   * Render Markdown: `POST /api/v1/messages/render`.
   *
   * Renders the text as a message of the caller, and stores nothing. Refuses a text longer than a message may be.
   */
  renderMessage(params: RenderMessageParams, options?: CallOptions): Promise<RenderMessageResult>;

  /**
   * Reorder channel folders: `PATCH /api/v1/channel_folders`.
   *
   * Repeated safely.
   */
  reorderChannelFolders(params: ReorderChannelFoldersParams, options?: CallOptions): Promise<Answer>;

  /**
   * Reorder linkifiers: `PATCH /api/v1/realm/linkifiers`.
   *
   * Repeated safely.
   */
  reorderLinkifiers(params: ReorderLinkifiersParams, options?: CallOptions): Promise<Answer>;

  /**
   * Reorder custom profile fields: `PATCH /api/v1/realm/profile_fields`.
   *
   * Repeated safely.
   */
  reorderProfileFields(params: ReorderProfileFieldsParams, options?: CallOptions): Promise<Answer>;

  /**
   * Send the events of a subscription again: `POST /api/v1/event_subscriptions/{subscription_id}/replay`.
   *
   * For the bot itself, its owner and administrators of the organization. Continues with the first event at or after the given event or time. If events of that age are no longer kept, the error has `oldest_event_id`.
   *
   * Repeated safely.
   */
  replayEventSubscription(params: ReplayEventSubscriptionParams, options?: CallOptions): Promise<ReplayEventSubscriptionResult>;

  /**
   * Report a message: `POST /api/v1/messages/{message_id}/report`.
   *
   * The report goes to the organization's moderation channel (`moderation_request_channel_id`) as a message. An account may send 20 reports an hour.
   *
   * Repeated safely.
   */
  reportMessage(params: ReportMessageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Resend an invitation: `POST /api/v1/invites/{invite_id}/resend`.
   *
   * Mails the same link again. Its time of expiry does not change.
   *
   * Repeated safely.
   */
  resendEmailInvite(params: ResendEmailInviteParams, options?: CallOptions): Promise<Answer>;

  /**
   * Resume a message series: `POST /api/v1/message_series/{series_id}/resume`.
   *
   * Nothing is sent for the time in which it was paused.
   *
   * Repeated safely.
   */
  resumeMessageSeries(params: ResumeMessageSeriesParams, options?: CallOptions): Promise<Answer>;

  /** Send bytes of a resumable upload: `PATCH /api/v1/tus/{upload_id}`. */
  resumeUpload(params: ResumeUploadParams, options?: CallOptions): Promise<Response>;

  /**
   * Revoke an invitation: `DELETE /api/v1/invites/{invite_id}`.
   *
   * Repeated safely.
   */
  revokeEmailInvite(params: RevokeEmailInviteParams, options?: CallOptions): Promise<Answer>;

  /**
   * Revoke a reusable invitation link: `DELETE /api/v1/invites/multiuse/{invite_id}`.
   *
   * Links that its page has mailed end as well.
   *
   * Repeated safely.
   */
  revokeInviteLink(params: RevokeInviteLinkParams, options?: CallOptions): Promise<Answer>;

  /**
   * Replace a secret of an outgoing webhook bot: `POST /api/v1/bots/{bot_id}/webhook/rotate`.
   *
   * For the bot's owner and for administrators of the organization. An old token ends at once; requests are signed with an old signing secret as well for 24 hours.
   */
  rotateBotWebhook(params: RotateBotWebhookParams, options?: CallOptions): Promise<RotateBotWebhookResult>;

  /**
   * Replace the signing secret of an event subscription: `POST /api/v1/event_subscriptions/{subscription_id}/rotate_secret`.
   *
   * For the bot itself, its owner and administrators of the organization.
   */
  rotateEventSubscriptionSecret(params: RotateEventSubscriptionSecretParams, options?: CallOptions): Promise<RotateEventSubscriptionSecretResult>;

  /**
   * Send invitations: `POST /api/v1/invites`.
   *
   * Mails each address a link, with which one account can be made. For members of `can_invite_users_group`. If some addresses have an account, the others are invited, and the answer is `INVITATION_FAILED` with `sent_invitations`. Channels and groups, times addresses, are at most 10000.
   */
  sendInvites(params: SendInvitesParams, options?: CallOptions): Promise<Answer>;

  /**
   * Send a message: `POST /api/v1/messages`.
   *
   * Repeated safely.
   */
  sendMessage(params: SendMessageParams, options?: CallOptions): Promise<SendMessageResult>;

  /**
   * Send the message of a series now: `POST /api/v1/message_series/{series_id}/send`.
   *
   * The message comes from the author of the series. Its plan stays as it is.
   *
   * Repeated safely.
   */
  sendSeriesNow(params: SendSeriesNowParams, options?: CallOptions): Promise<SendSeriesNowResult>;

  /**
   * Send a test notification: `POST /api/v1/mobile_push/e2ee/test_notification`.
   *
   * Sends to the caller's devices that the push service has acknowledged. The answer comes when the push service has accepted or refused the notification.
   */
  sendTestNotification(params?: SendTestNotificationParams, options?: CallOptions): Promise<Answer>;

  /**
   * Say that you are editing a message: `POST /api/v1/messages/{message_id}/typing`.
   *
   * For the caller's own messages, while their content may be edited. No events are sent in channels with more than 100 subscribers.
   *
   * Repeated safely.
   */
  setEditTypingStatus(params: SetEditTypingStatusParams, options?: CallOptions): Promise<Answer>;

  /**
   * Mute, unmute or follow a topic: `POST /api/v1/user_topics`.
   *
   * Repeated safely.
   */
  setTopicPolicy(params: SetTopicPolicyParams, options?: CallOptions): Promise<Answer>;

  /**
   * Say that you are typing: `POST /api/v1/typing`.
   *
   * Requires the permission to send a message there. No events are sent in channels with more than 100 subscribers.
   *
   * Repeated safely.
   */
  setTypingStatus(params: SetTypingStatusParams, options?: CallOptions): Promise<Answer>;

  /**
   * Show a new e-mail address to be confirmed: `GET /accounts/confirm_new_email/{token}`.
   *
   * The target of the link in the mail that `PATCH /settings` with `email` sends. The page changes nothing, because mail scanners and browsers open links before a person does.
   */
  showNewEmail(params: ShowNewEmailParams, options?: CallOptions): Promise<Response>;

  /**
   * Skip an occurrence: `POST /api/v1/message_series/{series_id}/skip`.
   *
   * Repeated safely.
   */
  skipSeriesOccurrence(params: SkipSeriesOccurrenceParams, options?: CallOptions): Promise<SkipSeriesOccurrenceResult>;

  /**
   * Become the author of a series: `POST /api/v1/message_series/{series_id}/take_over`.
   *
   * Repeated safely.
   */
  takeOverMessageSeries(params: TakeOverMessageSeriesParams, options?: CallOptions): Promise<Answer>;

  /**
   * Try a welcome message: `POST /api/v1/realm/test_welcome_bot_custom_message`.
   *
   * The welcome bot sends the text to the caller, as it would send the setting `welcome_message_custom_text` to new people.
   *
   * Repeated safely.
   */
  testWelcomeMessage(params: TestWelcomeMessageParams, options?: CallOptions): Promise<TestWelcomeMessageResult>;

  /**
   * Unmute a user: `DELETE /api/v1/users/me/muted_users/{muted_user_id}`.
   *
   * Repeated safely.
   */
  unmuteUser(params: UnmuteUserParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change a bot: `PATCH /api/v1/bots/{bot_id}`.
   *
   * For the bot's owner and for administrators of the organization. The change is atomic.
   *
   * Repeated safely.
   */
  updateBot(params: UpdateBotParams, options?: CallOptions): Promise<UpdateBotResult>;

  /**
   * Update a bot's stored data: `PUT /api/v1/bot_storage`.
   *
   * Stores the entries, and replaces entries with the same keys. A bot's keys and values may have 10,000,000 characters together, unless the server has another limit. Beyond the limit nothing is stored, and the message states the excess.
   *
   * Repeated safely.
   */
  updateBotStorage(params: UpdateBotStorageParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update a channel: `PATCH /api/v1/streams/{stream_id}`.
   *
   * For administrators of the channel. The change is atomic. Archived channels can be changed, too.
   */
  updateChannel(params: UpdateChannelParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update a channel folder: `PATCH /api/v1/channel_folders/{channel_folder_id}`.
   *
   * The change is atomic. Archived folders can be changed, too.
   *
   * Repeated safely.
   */
  updateChannelFolder(params: UpdateChannelFolderParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update a domain of e-mail addresses: `PATCH /api/v1/realm/domains/{domain}`.
   *
   * Repeated safely.
   */
  updateDomain(params: UpdateDomainParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change an event subscription: `PATCH /api/v1/event_subscriptions/{subscription_id}`.
   *
   * For the bot itself, its owner and administrators of the organization. New filters apply to events from then on.
   *
   * Repeated safely.
   */
  updateEventSubscription(params: UpdateEventSubscriptionParams, options?: CallOptions): Promise<UpdateEventSubscriptionResult>;

  /**
   * Update a linkifier: `PATCH /api/v1/realm/filters/{filter_id}`.
   *
   * Its position stays. Messages sent before are not changed.
   *
   * Repeated safely.
   */
  updateLinkifier(params: UpdateLinkifierParams, options?: CallOptions): Promise<Answer>;

  /**
   * Edit a message, or move it with others of its topic: `PATCH /api/v1/messages/{message_id}`.
   *
   * Only its sender may edit the content, for ten minutes. Accounts with the permission may move channel messages to another topic, another channel or both. A topic is resolved by moving all its messages to the same name with the prefix `✔ `.
   *
   * Repeated safely.
   */
  updateMessage(params: UpdateMessageParams, options?: CallOptions): Promise<UpdateMessageResult>;

  /**
   * Change the caller's own flags of messages: `POST /api/v1/messages/flags`.
   *
   * If the caller may not see one of the messages, nothing is changed. Exception: `read` is added to every message that the caller has received. Messages of channels to which the caller is not subscribed stay read.
   *
   * Repeated safely.
   */
  updateMessageFlags(params: UpdateMessageFlagsParams, options?: CallOptions): Promise<UpdateMessageFlagsResult>;

  /**
   * Change the caller's own flags of messages in a narrow: `POST /api/v1/messages/flags/narrow`.
   *
   * Changes the messages that `GET /messages` returns for the same anchor, numbers and narrow; a window of more than 5000 messages is reduced. Messages of channels to which the caller is not subscribed stay read.
   *
   * Repeated safely.
   */
  updateMessageFlagsForNarrow(params: UpdateMessageFlagsForNarrowParams, options?: CallOptions): Promise<UpdateMessageFlagsForNarrowResult>;

  /**
   * Change one's own settings (older spelling): `PATCH /api/v1/settings/notifications`.
   *
   * The same as `PATCH /settings`, for the plain settings: older programs call it.
   */
  updateNotificationSettings(params?: UpdateNotificationSettingsParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update your values of custom profile fields: `PATCH /api/v1/users/me/profile_data`.
   *
   * Stores all values, or none if one is invalid.
   *
   * Repeated safely.
   */
  updateOwnProfile(params: UpdateOwnProfileParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update your presence: `POST /api/v1/users/me/presence`.
   *
   * Clients call this once a minute. With `presence_enabled` off nothing is stored, and other users do not see the caller's presence.
   */
  updatePresence(params: UpdatePresenceParams, options?: CallOptions): Promise<UpdatePresenceResult>;

  /**
   * Update a custom profile field: `PATCH /api/v1/realm/profile_fields/{field_id}`.
   *
   * The change is atomic. Values with a removed dropdown choice are deleted.
   *
   * Repeated safely.
   */
  updateProfileField(params: UpdateProfileFieldParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update the organization: `PATCH /api/v1/realm`.
   *
   * The answer lists the changes: each permission with its new value, texts as `updated`. The change is atomic.
   *
   * Repeated safely.
   */
  updateRealm(params?: UpdateRealmParams, options?: CallOptions): Promise<UpdateRealmResult>;

  /**
   * Change one's own settings: `PATCH /api/v1/settings`.
   *
   * Only changed values are stored and sent as events. One invalid value rejects the whole request.
   */
  updateSettings(params?: UpdateSettingsParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change the default settings of new accounts: `PATCH /api/v1/realm/user_settings_defaults`.
   *
   * People who join later get a copy. Existing accounts and bots are not affected. Only changed values are stored and sent as events. One invalid value rejects the whole request.
   *
   * Repeated safely.
   */
  updateSettingsDefaults(params?: UpdateSettingsDefaultsParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update your status: `POST /api/v1/users/me/status`.
   *
   * Send the text, the emoji or both; a parameter that is not sent stays unchanged. An empty value removes it.
   *
   * Repeated safely.
   */
  updateStatus(params?: UpdateStatusParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update a user's status: `POST /api/v1/users/{user_id}/status`.
   *
   * A parameter that is not sent stays unchanged. Only active people have a status, not bots.
   *
   * Repeated safely.
   */
  updateStatusForUser(params: UpdateStatusForUserParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change one's own subscriptions: `POST /api/v1/users/me/subscriptions/properties`.
   *
   * One invalid change rejects all of them.
   *
   * Repeated safely.
   */
  updateSubscriptionProperties(params: UpdateSubscriptionPropertiesParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change one property of one's own subscription: `PATCH /api/v1/users/me/subscriptions/{stream_id}`.
   *
   * Repeated safely.
   */
  updateSubscriptionProperty(params: UpdateSubscriptionPropertyParams, options?: CallOptions): Promise<Answer>;

  /**
   * Subscribe to channels and unsubscribe from others: `PATCH /api/v1/users/me/subscriptions`.
   *
   * The change is atomic. Guests can only unsubscribe.
   *
   * Repeated safely.
   */
  updateSubscriptions(params?: UpdateSubscriptionsParams, options?: CallOptions): Promise<UpdateSubscriptionsResult>;

  /**
   * Update a user: `PATCH /api/v1/users/{user_id}`.
   *
   * For administrators of the organization. Any account can be changed, including bots and deactivated accounts. The change is atomic.
   *
   * Repeated safely.
   */
  updateUser(params: UpdateUserParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update a user by e-mail address: `PATCH /api/v1/users/{email}`.
   *
   * For administrators of the organization. Any account can be changed, including bots and deactivated accounts. The change is atomic.
   *
   * Repeated safely.
   */
  updateUserByEmail(params: UpdateUserByEmailParams, options?: CallOptions): Promise<Answer>;

  /**
   * Update a user group: `PATCH /api/v1/user_groups/{user_group_id}`.
   *
   * For accounts that may manage the group. The change is atomic. Deactivated groups can be changed, too.
   *
   * Repeated safely.
   */
  updateUserGroup(params: UpdateUserGroupParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change the members of a user group: `POST /api/v1/user_groups/{user_group_id}/members`.
   *
   * The change is atomic and applies the parameters in this order. Added and removed people get a notice.
   *
   * Repeated safely.
   */
  updateUserGroupMembers(params: UpdateUserGroupMembersParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change the subgroups of a user group: `POST /api/v1/user_groups/{user_group_id}/subgroups`.
   *
   * The change is atomic. A group cannot contain itself.
   *
   * Repeated safely.
   */
  updateUserGroupSubgroups(params: UpdateUserGroupSubgroupsParams, options?: CallOptions): Promise<Answer>;

  /**
   * Change your avatar: `POST /api/v1/users/me/avatar`.
   *
   * The form has exactly one file part, of any name: a picture of at most 5 MiB (AVIF, GIF, JPEG, PNG, TIFF, WebP). It is cut to a square.
   */
  uploadAvatar(params: UploadAvatarParams, options?: CallOptions): Promise<UploadAvatarResult>;

  /**
   * Upload a file: `POST /api/v1/user_uploads`.
   *
   * The form has exactly one file part, of any name. Use the answer's `url` as the destination of a link in a message: every account that may read the message may then read the file.
   */
  uploadFile(params: UploadFileParams, options?: CallOptions): Promise<UploadFileResult>;

  /**
   * Change the organization's icon: `POST /api/v1/realm/icon`.
   *
   * The form has exactly one file part, of any name: a picture of at most 5 MiB (AVIF, GIF, JPEG, PNG, TIFF, WebP). It is cut to a square.
   */
  uploadIcon(params: UploadIconParams, options?: CallOptions): Promise<UploadIconResult>;

  /**
   * Change the organization's logo: `POST /api/v1/realm/logo`.
   *
   * The form has exactly one file part, of any name: a picture of at most 5 MiB (AVIF, GIF, JPEG, PNG, TIFF, WebP). It is made smaller if it is larger than 800 × 100 pixels.
   */
  uploadLogo(params: UploadLogoParams, options?: CallOptions): Promise<Answer>;
}
