import {
  type FieldType,
  isOf,
  type Params,
  type Snapshot,
  snapshotOf,
  typeOf,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Types = Readonly<Record<string, FieldType>>;

/** Fields without the type that the client expects, with their actual types. */
function wrongIn(given: unknown, types: Types): string[] {
  const object = given as Snapshot;
  return Object.entries(types)
    .filter(([name, type]) => !isOf(type, object[name]))
    .map(([name]) => `${name}: ${name in object ? typeOf(object[name]) : "missing"}`);
}

/** The register parameters of a client, and the organization, user and settings fields that it requires. */
interface Client {
  readonly name: string;
  readonly params: Params;
  readonly fields: Types;
  readonly settings: Types;
  readonly user: Types;
  readonly group: Types;
}

/** clients.md §2.3 */
const terminal: Client = {
  name: "the terminal client",
  params: {
    event_types:
      "message update_message reaction submessage subscription typing update_message_flags user_settings realm_emoji realm_user".split(
        " ",
      ),
    fetch_event_types:
      "realm presence subscription message starred_messages update_message_flags muted_topics realm_user realm_user_groups user_settings realm_emoji custom_profile_fields zulip_version".split(
        " ",
      ),
    include_subscribers: true,
  },
  fields: {
    queue_id: "string",
    last_event_id: "int",
    zulip_version: "string",
    realm_name: "string",
    realm_message_retention_days: "int",
    realm_users: "list",
    cross_realm_bots: "list",
    user_id: "int",
    email: "string",
    full_name: "string",
    realm_user_groups: "list",
    user_settings: "object",
    realm_emoji: "object",
    realm_allow_message_editing: "bool",
    realm_allow_edit_history: "bool",
    realm_message_content_edit_limit_seconds: "int?",
    custom_profile_fields: "list",
  },
  settings: {
    twenty_four_hour_time: "bool",
    send_private_typing_notifications: "bool",
    pm_content_in_desktop_notifications: "bool",
  },
  user: { user_id: "int", email: "string", full_name: "string", is_bot: "bool" },
  group: { id: "int", name: "string", members: "list", description: "string" },
};

/** clients.md §2.4 */
const mobile: Client = {
  name: "the mobile client",
  params: {
    idle_queue_timeout: '"mobile"',
    apply_markdown: true,
    client_gravatar: false,
    slim_presence: true,
    client_capabilities: {
      notification_settings_null: true,
      bulk_message_deletion: true,
      user_avatar_url_field_optional: true,
      stream_typing_notifications: true,
      user_settings_object: true,
      include_deactivated_groups: true,
      empty_topic_name: true,
      individual_emoji_changes: true,
    },
  },
  fields: {
    queue_id: "string",
    last_event_id: "int",
    zulip_version: "string",
    zulip_feature_level: "int",
    zulip_merge_base: "string",
    custom_profile_fields: "list",
    max_stream_name_length: "int",
    max_topic_length: "int",
    server_presence_ping_interval_seconds: "int",
    server_presence_offline_threshold_seconds: "int",
    realm_emoji: "object",
    realm_user_groups: "list",
    user_settings: "object",
    realm_wildcard_mention_policy: "int",
    realm_name: "string",
    realm_waiting_period_threshold: "int",
    realm_allow_message_editing: "bool",
    realm_enable_read_receipts: "bool",
    realm_icon_url: "string",
    realm_presence_disabled: "bool",
    realm_default_external_accounts: "object",
    max_file_upload_size_mib: "int",
    server_emoji_data_url: "string",
    event_queue_longpoll_timeout_seconds: "int",
    realm_users: "list",
    realm_non_active_users: "list",
    cross_realm_bots: "list",
    saved_snippets: "list",
    channel_folders: "list",
    devices: "object",
    realm_message_content_edit_limit_seconds: "int?",
    realm_message_content_delete_limit_seconds: "int?",
    realm_can_delete_any_message_group: "int",
    realm_can_delete_own_message_group: "int",
  },
  settings: {
    twenty_four_hour_time: "bool",
    starred_message_counts: "bool",
    display_emoji_reaction_users: "bool",
    emojiset: "string",
    presence_enabled: "bool",
  },
  user: {
    user_id: "int",
    delivery_email: "string",
    email: "string",
    full_name: "string",
    date_joined: "string",
    is_bot: "bool",
    role: "int",
    timezone: "string",
    avatar_version: "int",
    avatar_url: "string",
  },
  group: {
    id: "int",
    name: "string",
    description: "string",
    members: "list",
    direct_subgroup_ids: "list",
    is_system_group: "bool",
    deactivated: "bool",
  },
};

for (const client of [terminal, mobile]) {
  describe(`POST /register with the parameters of ${client.name}`, () => {
    const scene = useScene();

    for (const who of ["owner", "member", "guest"] as const) {
      it(`returns to ${who === "owner" ? "an" : "a"} ${who} the organization fields that it reads`, async () => {
        await userGroup(scene.db, scene.org.realm, { members: [scene.org.member] });
        const snapshot = await snapshotOf(scene.as(scene.org[who]), undefined, client.params);
        expect(wrongIn(snapshot, client.fields)).to.deep.equal([]);
        expect(wrongIn(snapshot["user_settings"], client.settings)).to.deep.equal([]);
        const users = snapshot["realm_users"] as Array<{ user_id: number }>;
        expect(users.map(({ user_id }) => user_id)).to.include(scene.org[who].id);
        for (const user of [...users, ...(snapshot["cross_realm_bots"] as object[])])
          expect(wrongIn(user, client.user)).to.deep.equal([]);
        for (const group of snapshot["realm_user_groups"] as object[])
          expect(wrongIn(group, client.group)).to.deep.equal([]);
      });
    }
  });
}
