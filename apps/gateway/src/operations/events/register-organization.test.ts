import {
  anonymousGroup,
  changeOrganization,
  channel,
  fieldsOf,
  type FieldType,
  isOf,
  organization,
  snapshotOf,
  startGateway,
  type TestOrganization,
  typeOf,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { initialOrganizationSettings, realmPermissions } from "@carillon/contract";
import { expect } from "chai";

/** Every field of the section except the permissions, with its type for clients (events.md §1.3). */
const types: Readonly<Record<string, FieldType>> = {
  realm_name: "string",
  max_message_length: "int",
  max_topic_length: "int",
  max_stream_name_length: "int",
  max_stream_description_length: "int",
  max_channel_folder_name_length: "int",
  max_channel_folder_description_length: "int",
  max_reminder_note_length: "int",
  max_bulk_new_subscription_messages: "int",
  max_file_upload_size_mib: "int",
  max_avatar_file_size_mib: "int",
  max_icon_file_size_mib: "int",
  max_logo_file_size_mib: "int",
  password_min_length: "int",
  password_max_length: "int",
  event_queue_longpoll_timeout_seconds: "int",
  server_presence_ping_interval_seconds: "int",
  server_presence_offline_threshold_seconds: "int",
  server_typing_started_expiry_period_milliseconds: "int",
  server_typing_stopped_wait_period_milliseconds: "int",
  server_typing_started_wait_period_milliseconds: "int",
  realm_url: "string",
  realm_uri: "string",
  realm_bot_domain: "string",
  realm_date_created: "int",
  server_generation: "int",
  realm_plan_type: "int",
  realm_icon_url: "string",
  realm_icon_source: "string",
  realm_logo_url: "string",
  realm_logo_source: "string",
  realm_night_logo_url: "string",
  realm_night_logo_source: "string",
  realm_allow_edit_history: "bool",
  realm_mandatory_topics: "bool",
  realm_empty_topic_display_name: "string",
  realm_wildcard_mention_policy: "int",
  realm_create_public_stream_policy: "int",
  realm_create_private_stream_policy: "int",
  realm_create_web_public_stream_policy: "int",
  realm_enable_spectator_access: "bool",
  realm_presence_disabled: "bool",
  realm_email_auth_enabled: "bool",
  realm_password_auth_enabled: "bool",
  realm_avatar_changes_disabled: "bool",
  realm_push_notifications_enabled: "bool",
  realm_push_notifications_enabled_end_timestamp: "null",
  realm_available_video_chat_providers: "object",
  realm_upload_quota_mib: "int?",
  server_emoji_data_url: "string",
  server_thumbnail_formats: "list",
  server_supported_permission_settings: "object",
  server_report_message_types: "list",
  server_web_public_streams_enabled: "bool",
  server_needs_upgrade: "bool",
  jitsi_server_url: "null",
  realm_default_external_accounts: "object",
  giphy_rating_options: "object",
  gif_rating_policy_options: "object",
  realm_giphy_rating: "int",
  realm_uuid: "string",
  realm_authentication_methods: "object",
  realm_want_advertise_in_communities_directory: "bool",
  realm_owner_full_content_access: "bool",
  realm_can_manage_billing_group: "int",
  realm_workplace_users_group: "int",
  password_min_guesses: "int",
  server_jitsi_server_url: "null",
  server_name_changes_disabled: "bool",
  server_avatar_changes_disabled: "bool",
  server_can_summarize_topics: "bool",
  server_inline_image_preview: "bool",
  server_inline_url_embed_preview: "bool",
  server_min_deactivated_realm_deletion_days: "null",
  server_max_deactivated_realm_deletion_days: "null",
  settings_send_digest_emails: "bool",
  development_environment: "bool",
  zulip_plan_is_not_limited: "bool",
  upgrade_text_for_wide_organization_logo: "string",
  ...Object.fromEntries(
    Object.entries(initialOrganizationSettings()).map(([name, value]) => [
      `realm_${name}`,
      value === null
        ? "null"
        : typeof value === "boolean"
          ? "bool"
          : typeof value === "number"
            ? "int"
            : "string",
    ]),
  ),
};

/** Permissions of the organization (user-groups.md §3.2). */
const permissions = Object.values(realmPermissions).map(({ name }) => name);

describe("POST /register: the organization", () => {
  const scene = useScene();
  const realmOf = (org: TestOrganization, who: "owner" | "member" | "guest" = "member") =>
    snapshotOf(scene.as(org[who]), ["realm"]);

  it("has every field with its type, and no other", async () => {
    const snapshot = await realmOf(scene.org);
    const wrong = Object.entries(types).filter(([name, type]) => !isOf(type, snapshot[name]));
    expect(wrong.map(([name]) => `${name}: ${typeOf(snapshot[name])}`)).to.deep.equal([]);
    expect(fieldsOf(snapshot)).to.have.members([
      ...Object.keys(types),
      ...permissions.map((name) => `realm_${name}`),
    ]);
  });

  it("is the same for guests and for owners", async () => {
    expect(fieldsOf(await realmOf(scene.org, "guest"))).to.deep.equal(
      fieldsOf(await realmOf(scene.org, "owner")),
    );
  });

  it("contains the limits and timings", async () => {
    expect(await realmOf(scene.org)).to.include({
      max_message_length: 10_000,
      max_topic_length: 60,
      max_stream_name_length: 60,
      max_stream_description_length: 1024,
      max_channel_folder_name_length: 60,
      max_channel_folder_description_length: 1024,
      max_reminder_note_length: 500,
      max_bulk_new_subscription_messages: 100,
      max_file_upload_size_mib: 100,
      max_avatar_file_size_mib: 5,
      password_min_length: 6,
      password_max_length: 100,
      event_queue_longpoll_timeout_seconds: 90,
      server_presence_ping_interval_seconds: 60,
      server_presence_offline_threshold_seconds: 140,
      server_typing_started_expiry_period_milliseconds: 15_000,
      server_typing_stopped_wait_period_milliseconds: 5_000,
      server_typing_started_wait_period_milliseconds: 10_000,
    });
  });

  it("contains the initial values of a new organization", async () => {
    const { realm } = scene.org;
    const snapshot = await realmOf(scene.org);
    expect(snapshot).to.include({
      realm_name: realm.name,
      realm_url: `http://${realm.subdomain}.carillon.test`,
      realm_uri: `http://${realm.subdomain}.carillon.test`,
      realm_bot_domain: `${realm.subdomain}.carillon.test`,
      realm_message_retention_days: -1,
      realm_message_content_edit_limit_seconds: 600,
      realm_move_messages_between_streams_limit_seconds: 604_800,
      realm_message_edit_history_visibility_policy: "all",
      realm_topics_policy: "allow_empty_topic",
      realm_mandatory_topics: false,
      realm_empty_topic_display_name: "general chat",
      realm_wildcard_mention_policy: 5,
      realm_create_public_stream_policy: 1,
      realm_create_private_stream_policy: 1,
      realm_create_web_public_stream_policy: 7,
      realm_push_notifications_enabled: false,
      realm_default_language: "en",
      realm_new_stream_announcements_stream_id: -1,
      realm_moderation_request_channel_id: -1,
      server_web_public_streams_enabled: true,
    });
    // Requests without an organization resolve to the server's first one.
    const icon = (await scene.gateway.anonymous.get("/api/v1/server_settings")).body["realm_icon"];
    expect(snapshot["realm_icon_url"])
      .to.be.a("string")
      .that.matches(/^https:\/\//);
    expect(icon).to.match(/^https:\/\//);
    const now = Date.now() / 1_000;
    expect(snapshot["realm_date_created"]).to.be.within(now - 3_600, now + 5);
    expect(snapshot["server_generation"]).to.be.within(now - 86_400, now);
  });

  it("follows the organization's row", async () => {
    const org = await organization(scene.db);
    const room = await channel(scene.db, org.owner);
    await changeOrganization(scene.db, org.realm, {
      name: "Renamed",
      description: "What *we* do",
      topicsPolicy: "disable_empty_topic",
      emptyTopicDisplayName: "misc",
      defaultLanguage: "de",
      waitingPeriodThreshold: 7,
      requireUniqueNames: true,
      nameChangesDisabled: true,
      emailChangesDisabled: true,
      passwordAuthEnabled: false,
      enableSpectatorAccess: true,
      messageRetentionDays: 30,
      newStreamAnnouncementsChannelId: room.id,
    });
    expect(await realmOf(org)).to.include({
      realm_name: "Renamed",
      realm_description: "What *we* do",
      realm_topics_policy: "disable_empty_topic",
      realm_mandatory_topics: true,
      realm_empty_topic_display_name: "misc",
      realm_default_language: "de",
      realm_waiting_period_threshold: 7,
      realm_require_unique_names: true,
      realm_name_changes_disabled: true,
      realm_email_changes_disabled: true,
      realm_password_auth_enabled: false,
      realm_email_auth_enabled: false,
      realm_enable_spectator_access: true,
      realm_message_retention_days: 30,
      realm_new_stream_announcements_stream_id: room.id,
    });
    expect(await realmOf(scene.org)).to.include({ realm_name: scene.org.realm.name });
  });

  it("states whether a push service is configured", async () => {
    const gateway = await startGateway(scene.db, { site: { pushConfigured: true } });
    try {
      const snapshot = await snapshotOf(gateway.as(scene.org.member), ["realm"]);
      expect(snapshot["realm_push_notifications_enabled"]).to.equal(true);
    } finally {
      await gateway.close();
    }
  });

  it("contains the address of the emoji names, which needs no credentials", async () => {
    const { server_emoji_data_url: url } = await realmOf(scene.org);
    const { pathname, origin } = new URL(String(url));
    expect(origin).to.equal("http://carillon.test");
    const answer = await scene.gateway.anonymous.get(pathname);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.have.nested.property("code_to_names.1f642");
  });

  describe("permissions", () => {
    it("are groups, or anonymous groups without deactivated accounts", async () => {
      const { db } = scene;
      const org = await organization(db);
      const group = await userGroup(db, org.realm);
      const owners = org.groups["role:owners"];
      const set = await anonymousGroup(db, org.realm.id, [org.member.id, org.guest.id], [owners]);
      await changeOrganization(db, org.realm, {
        canCreateGroupsId: set,
        canCreateBotsGroupId: group.id,
      });
      await db.prisma.user.update({ where: { id: org.guest.id }, data: { isActive: false } });
      const snapshot = await realmOf(org);
      expect(snapshot["realm_can_create_groups"]).to.deep.equal({
        direct_members: [org.member.id],
        direct_subgroups: [owners],
      });
      expect(snapshot["realm_can_create_bots_group"]).to.equal(group.id);
      expect(snapshot["realm_can_manage_all_groups"]).to.equal(owners);
    });

    it("are sent to older clients as their numeric values", async () => {
      const { db } = scene;
      const org = await organization(db);
      const custom = await userGroup(db, org.realm);
      const rows = [
        ["role:everyone", { realm_wildcard_mention_policy: 1 }],
        [
          "role:members",
          { realm_wildcard_mention_policy: 2, realm_create_public_stream_policy: 1 },
        ],
        [
          "role:fullmembers",
          { realm_wildcard_mention_policy: 3, realm_create_public_stream_policy: 3 },
        ],
        [
          "role:administrators",
          { realm_wildcard_mention_policy: 5, realm_create_public_stream_policy: 2 },
        ],
        [
          "role:nobody",
          { realm_wildcard_mention_policy: 6, realm_create_web_public_stream_policy: 6 },
        ],
        [
          "role:moderators",
          { realm_wildcard_mention_policy: 7, realm_create_public_stream_policy: 4 },
        ],
        [
          "role:owners",
          { realm_wildcard_mention_policy: 5, realm_create_web_public_stream_policy: 7 },
        ],
      ] as const;
      const give = (group: number) =>
        changeOrganization(db, org.realm, {
          canMentionManyUsersGroupId: group,
          canCreatePublicChannelGroupId: group,
          canCreateWebPublicChannelGroupId: group,
        });
      for (const [name, expected] of rows) {
        await give(org.groups[name]);
        expect(await realmOf(org), name).to.include(expected);
      }
      await give(custom.id);
      expect(await realmOf(org)).to.include({
        realm_wildcard_mention_policy: 5,
        realm_create_public_stream_policy: 2,
        realm_create_web_public_stream_policy: 2,
      });
    });

    it("are described with their allowed values, like those of channels and groups", async () => {
      const snapshot = await realmOf(scene.org);
      const supported = snapshot["server_supported_permission_settings"] as Record<
        string,
        Record<string, object>
      >;
      expect(supported["realm"]?.["can_access_all_users_group"]).to.deep.equal({
        require_system_group: true,
        allow_internet_group: false,
        allow_nobody_group: false,
        allow_everyone_group: true,
        default_group_name: "role:everyone",
        default_for_system_groups: null,
        allowed_system_groups: ["role:everyone", "role:members"],
      });
      expect(supported["stream"]?.["can_administer_channel_group"]).to.include({
        default_group_name: "channel_creator",
        default_for_system_groups: null,
      });
      expect(supported["group"]?.["can_manage_group"]).to.include({
        default_group_name: "group_creator",
        default_for_system_groups: "role:nobody",
      });
      expect(supported["group"]?.["can_mention_group"])
        .to.have.property("allowed_system_groups")
        .that.includes("role:everyone")
        .and.does.not.include("role:owners")
        .and.does.not.include("role:internet");
    });
  });

  it("lists sites for profile fields with the keys that the mobile client needs", async () => {
    const snapshot = await realmOf(scene.org);
    const accounts = snapshot["realm_default_external_accounts"] as Record<string, object>;
    expect(Object.keys(accounts)).to.have.length(21);
    for (const account of Object.values(accounts)) {
      expect(account).to.have.all.keys("text", "name", "hint", "url_pattern");
      for (const value of Object.values(account)) expect(value).to.be.a("string");
    }
    expect(accounts["github"]).to.include({ url_pattern: "https://github.com/%(username)s" });
  });
});
