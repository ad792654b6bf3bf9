/**
 * What a column of an exported table is. A column that is not named here is copied as it is.
 *
 * - `id`: the id of a record of this table, which gets a new one.
 * - `ref`: the id of a record of another table. An unknown one is refused; `or` says what else happens: `null` stores
 *   NULL, `skip` leaves the record out, `gone` stores an id that no record has, because the source has deleted it.
 * - `refs`: an array of such ids. Unknown ones are refused.
 * - `upTo`: an id that bounds others: the greatest one that is not higher.
 * - `text`: Markdown, with references to accounts, channels, messages and files.
 * - `fragment`: the fragment of an address, with references.
 * - `json`: JSON with ids; the import has a function for it.
 * - `sealed`: bytes sealed with `SECRET_KEY`; `digest`: their digest, for the look-up.
 * - `unmoved`: not exported; the import gives it its default, or makes it.
 */
export type Column =
  | { readonly kind: "id" }
  | {
      readonly kind: "ref";
      readonly to: string;
      readonly or?: "null" | "skip" | "gone";
      readonly later?: true;
    }
  | { readonly kind: "refs"; readonly to: string }
  | { readonly kind: "upTo"; readonly to: string }
  | { readonly kind: "text" }
  | { readonly kind: "fragment" }
  | { readonly kind: "json" }
  | { readonly kind: "sealed" }
  | { readonly kind: "digest"; readonly of: string }
  | { readonly kind: "unmoved" };

/** A table whose rows are exported. */
export interface MovedTable {
  /**
   * How its rows are found: `realm` by `realm_id`, else by a reference of this name, which is one of `columns`.
   */
  readonly by: "realm" | string;
  readonly columns: Readonly<Record<string, Column>>;
}

const id: Column = { kind: "id" };
const text: Column = { kind: "text" };
const json: Column = { kind: "json" };
const sealed: Column = { kind: "sealed" };
const unmoved: Column = { kind: "unmoved" };
const user: Column = { kind: "ref", to: "users" };
const userOrNull: Column = { kind: "ref", to: "users", or: "null" };
const channel: Column = { kind: "ref", to: "channels" };
const channelOrNull: Column = { kind: "ref", to: "channels", or: "null" };
const group: Column = { kind: "ref", to: "user_group" };
const messageOrNull: Column = { kind: "ref", to: "messages", or: "null" };
const recipient: Column = { kind: "ref", to: "recipients" };
const client: Column = { kind: "ref", to: "clients" };

const groups = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${name}_group_id`, group] as const));

/** The exported tables, in the order of the import: a table comes after those that its rows refer to. */
export const movedTables: Readonly<Record<string, MovedTable>> = {
  clients: { by: "used", columns: { id, added_by_id: unmoved } },
  users: {
    by: "realm",
    columns: {
      id,
      email: unmoved,
      bot_owner_id: { ...userOrNull, later: true },
      api_key_sealed: sealed,
      api_key_digest: { kind: "digest", of: "api_key_sealed" },
      webhook_secret_sealed: sealed,
      default_sending_channel_id: { ...channelOrNull, later: true },
      default_events_register_channel_id: { ...channelOrNull, later: true },
    },
  },
  user_group: { by: "realm", columns: { id } },
  named_user_group: {
    by: "realm",
    columns: {
      id: group,
      creator_id: userOrNull,
      ...groups(
        "can_add_members",
        "can_join",
        "can_leave",
        "can_manage",
        "can_mention",
        "can_remove_members",
      ),
    },
  },
  user_group_member: { by: "group_id", columns: { group_id: group, user_id: user } },
  user_group_subgroup: {
    by: "supergroup_id",
    columns: { supergroup_id: group, subgroup_id: group },
  },
  realm_user_defaults: { by: "realm", columns: {} },
  realm_domains: { by: "realm", columns: { id } },
  linkifiers: { by: "realm", columns: { id } },
  custom_profile_fields: { by: "realm", columns: { id } },
  custom_profile_field_values: {
    by: "user_id",
    columns: {
      user_id: user,
      field_id: { kind: "ref", to: "custom_profile_fields", or: "skip" },
      value: json,
      rendered_value: unmoved,
    },
  },
  channel_folders: {
    by: "realm",
    columns: { id, creator_id: userOrNull, rendered_description: unmoved },
  },
  channels: {
    by: "realm",
    columns: {
      id,
      creator_id: userOrNull,
      folder_id: { kind: "ref", to: "channel_folders", or: "null" },
      rendered_description: unmoved,
      first_message_id: unmoved,
      subscriber_count: unmoved,
      ...groups(
        "can_add_subscribers",
        "can_administer_channel",
        "can_create_topic",
        "can_delete_any_message",
        "can_delete_own_message",
        "can_move_messages_out_of_channel",
        "can_move_messages_within_channel",
        "can_remove_subscribers",
        "can_resolve_topics",
        "can_send_message",
        "can_subscribe",
      ),
    },
  },
  default_channels: { by: "channel_id", columns: { channel_id: channel } },
  subscriptions: {
    by: "channel_id",
    columns: {
      channel_id: channel,
      user_id: user,
      is_user_active: unmoved,
      deferred_after: unmoved,
      deferred_until: unmoved,
      deferred_read: unmoved,
    },
  },
  recipients: {
    by: "realm",
    columns: {
      id,
      channel_id: channelOrNull,
      member_ids: { kind: "refs", to: "users" },
      member_hash: unmoved,
    },
  },
  pictures: {
    by: "realm",
    columns: { path: json, user_id: userOrNull, object_key: unmoved, sha256: json },
  },
  realm_emoji: { by: "realm", columns: { id, author_id: user } },
  attachments: {
    by: "realm",
    columns: { id, owner_id: user, path_id: json, object_key: unmoved, sha256: json },
  },
  messages: {
    by: "realm",
    columns: {
      id,
      sender_id: user,
      recipient_id: recipient,
      client_id: client,
      scheduled_message_id: { kind: "ref", to: "scheduled_messages", or: "null" },
      changed_channel: unmoved,
      outgoing_call_id: { kind: "ref", to: "outgoing_call", or: "null" },
      content: text,
      edit_history: json,
      rendered_content: unmoved,
      render_version: unmoved,
      has_link: unmoved,
      has_image: unmoved,
      has_attachment: unmoved,
      search: unmoved,
    },
  },
  attachment_claims: {
    by: "attachment_id",
    columns: {
      attachment_id: { kind: "ref", to: "attachments" },
      message_id: { kind: "ref", to: "messages", or: "skip" },
    },
  },
  message_series: {
    by: "realm",
    columns: {
      id,
      author_id: user,
      recipient_id: recipient,
      channel_id: channelOrNull,
      client_id: client,
      can_manage_group_id: group,
      content: text,
      unless: json,
    },
  },
  series_runs: {
    by: "series_id",
    columns: { series_id: { kind: "ref", to: "message_series" }, message_id: messageOrNull },
  },
  scheduled_messages: {
    by: "realm",
    columns: {
      id,
      sender_id: user,
      recipient_id: recipient,
      channel_id: channelOrNull,
      client_id: client,
      content: text,
      rendered_content: unmoved,
      alarmed_at: unmoved,
      attempts: unmoved,
      retry_at: unmoved,
      request_id: unmoved,
      ended_by: unmoved,
      delivered_message_id: messageOrNull,
      reminder_target_message_id: { kind: "ref", to: "messages", or: "gone" },
      messages_before: { kind: "upTo", to: "messages" },
      checked_in_by: { kind: "refs", to: "users" },
      series_id: { kind: "ref", to: "message_series", or: "null" },
      unless: json,
    },
  },
  withheld_messages: {
    by: "realm",
    columns: {
      scheduled_message_id: { kind: "ref", to: "scheduled_messages", or: "gone" },
      sender_id: user,
      recipient_id: recipient,
      channel_id: channelOrNull,
      content: text,
      condition: json,
      message_id: messageOrNull,
    },
  },
  delivery_failures: {
    by: "realm",
    columns: {
      id,
      scheduled_message_id: { kind: "ref", to: "scheduled_messages", or: "gone" },
      sender_id: user,
      channel_id: channelOrNull,
      notice_id: messageOrNull,
    },
  },
  message_upserts: {
    by: "sender_id",
    columns: {
      sender_id: user,
      recipient_id: recipient,
      message_id: { kind: "ref", to: "messages", or: "skip" },
    },
  },
  alert_words: { by: "realm", columns: { id, user_id: user } },
  alert_word_owners: { by: "realm", columns: { user_id: user, version: unmoved } },
  navigation_views: {
    by: "user_id",
    columns: { id, user_id: user, fragment: { kind: "fragment" } },
  },
  saved_snippets: { by: "user_id", columns: { id, user_id: user, content: text } },
  drafts: { by: "user_id", columns: { id, user_id: user, to: json, content: text } },
  user_topics: { by: "user_id", columns: { id, user_id: user, channel_id: channel } },
  muted_users: { by: "user_id", columns: { user_id: user, muted_user_id: user } },
  account_visits: { by: "user_id", columns: { user_id: user } },
  user_presence: { by: "realm", columns: { user_id: user, update_id: unmoved } },
  user_status: { by: "realm", columns: { user_id: user, emoji_code: json } },
  account_links: { by: "realm", columns: { id, user_id: user } },
  invitations: {
    by: "realm",
    columns: {
      id,
      maker_id: userOrNull,
      parent_id: { kind: "ref", to: "invitations" },
      joined_id: userOrNull,
      key_sealed: sealed,
      key_digest: { kind: "digest", of: "key_sealed" },
    },
  },
  invitation_channels: {
    by: "invitation_id",
    columns: { invitation_id: { kind: "ref", to: "invitations" }, channel_id: channel },
  },
  invitation_groups: {
    by: "invitation_id",
    columns: { invitation_id: { kind: "ref", to: "invitations" }, group_id: group },
  },
  bot_service: {
    by: "realm",
    columns: {
      bot_id: user,
      token_sealed: sealed,
      secret_sealed: sealed,
      old_secret_sealed: sealed,
    },
  },
  bot_storage_usage: { by: "bot_id", columns: { bot_id: user, size: unmoved } },
  bot_storage_parts: { by: "bot_id", columns: { bot_id: user } },
  event_subscription: {
    by: "realm",
    columns: {
      id,
      bot_id: user,
      narrow: json,
      secret_sealed: sealed,
      old_secret_sealed: sealed,
      earlier_filters: unmoved,
      cursor: unmoved,
      batch_to: unmoved,
      batch_webhook_id: unmoved,
      generation: unmoved,
      calling_until: unmoved,
    },
  },
  outgoing_call: {
    by: "realm",
    columns: {
      id,
      bot_id: user,
      message_id: { kind: "ref", to: "messages", or: "skip" },
      conversation: json,
      calling_until: unmoved,
    },
  },
  daily_work: { by: "realm", columns: {} },
  /** Last, because its settings name groups and channels; its record is also read first, for its name. */
  realms: {
    by: "realm",
    columns: {
      id: unmoved,
      uuid: unmoved,
      deactivated: unmoved,
      read_only_since: unmoved,
      moved_to: unmoved,
      max_channels: unmoved,
      max_user_groups: unmoved,
      max_bots: unmoved,
      new_stream_announcements_channel_id: channelOrNull,
      signup_announcements_channel_id: channelOrNull,
      zulip_update_announcements_channel_id: channelOrNull,
      moderation_request_channel_id: channelOrNull,
      can_manage_all_groups_id: group,
      can_create_groups_id: group,
      ...groups(
        "can_create_public_channel",
        "can_create_private_channel",
        "can_create_web_public_channel",
        "can_add_subscribers",
        "can_delete_any_message",
        "can_delete_own_message",
        "can_move_messages_between_channels",
        "can_move_messages_between_topics",
        "can_resolve_topics",
        "can_set_topics_policy",
        "can_set_delete_message_policy",
        "can_access_all_users",
        "can_create_bots",
        "can_create_write_only_bots",
        "can_add_custom_emoji",
        "can_mention_many_users",
        "can_invite_users",
        "create_multiuse_invite",
        "direct_message_initiator",
        "direct_message_permission",
        "can_summarize_topics",
      ),
    },
  },
};

/** Tables that exports of earlier versions have, and that are passed over. */
export const formerTables: ReadonlySet<string> = new Set(["channel_traffic"]);

/** Tables whose rows are not exported, each with the reason. */
export const unmovedTables: Readonly<Record<string, string>> = {
  _prisma_migrations: "the migrations of the installation",
  address_changes: "links of mails, which lead to the old address and are asked for again",
  archived_messages:
    "removed messages: they can be restored at the old installation before the move",
  audit_log: "what was done at the old installation; it stays in its backup",
  bouncer_circuit: "the state of the installation",
  channel_traffic:
    "imported messages are counted as new ones are, by the days on which they were sent",
  client_devices:
    "registered at the push bouncer by the old installation; apps register when people log in",
  counters: "figures of the installation",
  delivery_batches: "figures of the installation",
  delivery_history: "figures of the installation",
  event_head: "clients register anew, and events are numbered anew",
  event_log: "clients register anew, and events are numbered anew",
  event_queue: "clients register anew",
  idempotency_keys: "answers of the last 24 hours, which contain ids of the old installation",
  images: "thumbnails are made again",
  import_ids: "the journal of an import",
  import_paths: "the journal of an import",
  invitation_sendings: "counts for a rate limit",
  job_intent: "the old installation does its work before a final export",
  legacy_push_tokens: "registered by the old installation; apps register when people log in",
  login_tickets: "sign-ins in progress",
  message_deletion_jobs: "the old installation does its work before a final export",
  message_deletion_steps: "the old installation does its work before a final export",
  message_removals: "the runs of the archive of removed messages",
  missed_mails: "the old installation sends its mails",
  missed_mail_places: "positions in the event log of the old installation",
  organization_imports: "the journal of an import",
  outgoing_attempt: "the log of calls that the old installation made",
  outgoing_origin: "the state of the installation",
  outgoing_slot: "calls in progress",
  password_resets: "links of mails, which are asked for again",
  picture_requests: "requests in progress",
  process_heartbeats: "processes of the installation",
  push_registrations: "registrations in progress",
  rate_hits: "counts for rate limits",
  reactions: "part of the messages' records",
  realm_storage: "the sum of the files",
  reset_requests: "requests in progress",
  resumable_parts: "uploads in progress",
  resumable_uploads: "uploads in progress",
  scheduling_bot_questions: "questions of the last ten minutes",
  sso_attempts: "sign-ins in progress",
  stored_objects: "the ledger of the file store",
  submessages: "part of the messages' records",
  traffic_place: "the state of the installation",
  user_messages: "part of the messages' records",
};
