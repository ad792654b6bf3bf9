import { type ToldEvent } from "@carillon/testkit";

/** Fields of an event beside `id`, `type` and `op`; a question mark says that it may be missing. */
type Fields = string;

/** The catalogue of events.md §4, of what operations emit: one client refuses any other field. */
const catalogue: Readonly<Record<string, Fields>> = {
  message: "message flags local_message_id?",
  "typing/start": "message_type sender recipients? stream_id? topic?",
  "typing/stop": "message_type sender recipients? stream_id? topic?",
  "stream/create": "streams",
  "stream/delete": "stream_ids streams",
  default_streams: "default_streams",
  "subscription/add": "subscriptions",
  "subscription/remove": "subscriptions",
  "subscription/peer_add": "stream_ids user_ids",
  "subscription/peer_remove": "stream_ids user_ids",
  "subscription/update": "stream_id property value",
  "user_group/add": "group",
  "user_group/remove": "group_id",
  "user_group/update": "group_id data",
  "user_group/add_members": "group_id user_ids",
  "user_group/remove_members": "group_id user_ids",
  "user_group/add_subgroups": "group_id direct_subgroup_ids",
  "user_group/remove_subgroups": "group_id direct_subgroup_ids",
  "realm_user/add": "person",
  "realm_user/update": "person",
  "realm_bot/add": "bot",
  "realm_bot/delete": "bot",
  "user_settings/update": "property value language_name?",
  "scheduled_messages/add": "scheduled_messages",
  "scheduled_messages/update": "scheduled_message",
  "scheduled_messages/remove": "scheduled_message_id",
  user_topic: "stream_id topic_name visibility_policy last_updated",
  presence: "user_id? email? server_timestamp? presence? presences?",
  user_status: "user_id status_text? emoji_name? emoji_code? reaction_type?",
  muted_users: "muted_users",
  heartbeat: "",
};

const user =
  "user_id email delivery_email full_name role is_active is_bot is_owner is_admin is_guest is_imported_stub timezone " +
  "date_joined avatar_version avatar_url bot_type? bot_owner_id? profile_data?";
const group =
  "id name description date_created creator_id members direct_subgroup_ids is_system_group deactivated " +
  "can_add_members_group can_join_group can_leave_group can_manage_group can_mention_group can_remove_members_group";
const channel =
  "stream_id name description rendered_description date_created creator_id invite_only is_web_public " +
  "history_public_to_subscribers is_archived folder_id first_message_id message_retention_days topics_policy " +
  "is_recently_active subscriber_count stream_weekly_traffic stream_post_policy is_announcement_only " +
  "can_add_subscribers_group can_administer_channel_group can_create_topic_group can_delete_any_message_group " +
  "can_delete_own_message_group can_move_messages_out_of_channel_group can_move_messages_within_channel_group " +
  "can_remove_subscribers_group can_resolve_topics_group can_send_message_group can_subscribe_group";
const subscription =
  `${channel} color is_muted in_home_view pin_to_top desktop_notifications audible_notifications push_notifications ` +
  "email_notifications wildcard_mentions_notify subscribers";
const message =
  "id type stream_id? subject content content_type timestamp sender_id sender_email sender_full_name sender_realm_str " +
  "avatar_url client recipient_id display_recipient is_me_message reactions submessages topic_links";
const scheduled =
  "scheduled_message_id type to topic? content rendered_content scheduled_delivery_timestamp failed";

/** Objects in events, by the event's field. */
const objects: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  message: { message },
  "stream/create": { streams: channel },
  "stream/delete": { streams: "stream_id" },
  "subscription/add": { subscriptions: subscription },
  "subscription/remove": { subscriptions: "stream_id name" },
  "user_group/add": { group },
  "realm_user/add": { person: user },
  "realm_bot/add": {
    bot: "user_id services default_sending_stream default_events_register_stream default_all_public_streams",
  },
  "realm_bot/delete": { bot: "user_id" },
  "scheduled_messages/add": { scheduled_messages: scheduled },
  "scheduled_messages/update": { scheduled_message: scheduled },
  "typing/start": { sender: "user_id email", recipients: "user_id email" },
  "typing/stop": { sender: "user_id email", recipients: "user_id email" },
  muted_users: { muted_users: "id timestamp" },
};

/** The one change that a `realm_user/update` tells, beside `user_id`. */
const personChanges = new Set([
  "full_name",
  "role",
  "is_active",
  "new_email",
  "delivery_email",
  "custom_profile_field",
  "bot_owner_id",
  "email timezone",
  "avatar_source avatar_url avatar_url_medium avatar_version",
]);

/** What is wrong with the fields of an event; empty where nothing is. */
export function faultsOf(event: ToldEvent): string[] {
  const { id, type, op, ...fields } = event;
  const kind = op === undefined ? type : `${type}/${op}`;
  const known = catalogue[kind];
  if (known === undefined) return [`${kind} is no event of the catalogue`];
  const faults = Number.isSafeInteger(id) ? [] : [`${kind}: id ${String(id)}`];
  faults.push(...compare(kind, fields, known));
  for (const [name, allowed] of Object.entries(objects[kind] ?? {})) {
    const value = fields[name];
    if (value === undefined) continue;
    for (const object of Array.isArray(value) ? (value as unknown[]) : [value])
      faults.push(...compare(`${kind} ${name}`, object as object, allowed));
  }
  if (kind === "realm_user/update") {
    const { user_id, ...change } = fields["person"] as Record<string, unknown>;
    const names = Object.keys(change).toSorted().join(" ");
    if (!Number.isInteger(user_id) || !personChanges.has(names)) faults.push(`${kind}: ${names}`);
  }
  return faults;
}

function compare(what: string, object: object, allowed: Fields): string[] {
  const names = allowed.split(" ").filter((name) => name !== "");
  const known = new Set(names.map((name) => name.replace("?", "")));
  const there = new Set(Object.keys(object));
  return [
    ...[...there].filter((name) => !known.has(name)).map((name) => `${what}: unknown ${name}`),
    ...names
      .filter((name) => !name.endsWith("?") && !there.has(name))
      .map((name) => `${what}: no ${name}`),
  ];
}
