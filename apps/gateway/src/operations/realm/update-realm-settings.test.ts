import {
  initialOrganizationSettings,
  namedOrganizationSettings,
  organizationSettings,
  type OrganizationSettingName,
  updateRealm,
} from "@carillon/contract";
import {
  announced,
  changeChannel,
  channel,
  eventsOf,
  organization,
  type Params,
  realmChanging,
  realmUpdate,
  refusedWith,
  startGateway,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

/** What is sent for each setting, and what it becomes. */
const other: Readonly<Record<string, readonly [sent: unknown, becomes: unknown]>> = {
  invite_required: [false, false],
  disallow_disposable_email_addresses: [false, false],
  waiting_period_threshold: [3, 3],
  require_unique_names: [true, true],
  name_changes_disabled: [true, true],
  email_changes_disabled: [true, true],
  avatar_changes_disabled: [true, true],
  default_language: ["de", "de"],
  welcome_message_custom_text: [" Hello *you* ", "Hello *you*"],
  send_welcome_emails: [false, false],
  allow_message_editing: [false, false],
  message_content_edit_limit_seconds: ["unlimited", null],
  message_content_delete_limit_seconds: ['"unlimited"', null],
  move_messages_within_stream_limit_seconds: [1, 1],
  move_messages_between_streams_limit_seconds: [86_400, 86_400],
  message_edit_history_visibility_policy: ["none", "none"],
  topics_policy: ["disable_empty_topic", "disable_empty_topic"],
  message_retention_days: [30, 30],
  enable_read_receipts: [false, false],
  send_channel_events_messages: [false, false],
  require_e2ee_push_notifications: [true, true],
  message_content_allowed_in_email_notifications: [false, false],
  default_code_block_language: ["python", "python"],
  digest_emails_enabled: [true, true],
  digest_weekday: [6, 6],
  enable_guest_user_indicator: [false, false],
  enable_guest_user_dm_warning: [false, false],
  inline_image_preview: [false, false],
  inline_url_embed_preview: [true, true],
  org_type: [1000, 1000],
  video_chat_provider: [1, 1],
  jitsi_server_url: ["https://jitsi.example", "https://jitsi.example"],
  gif_rating_policy: [0, 0],
  media_preview_size: [200, 200],
  default_avatar_source: ["J", "J"],
};

const legacy = { allow_edit_history: false, mandatory_topics: true, giphy_rating: 0 };

describe("PATCH /realm: settings", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const { change, refuses, shown } = realmChanging({ db, as: (account) => gateway.as(account) });
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  it("are stored, audited and shown, and sent in one event with the fields that older clients read", async () => {
    const own = await organization(db);
    const room = await channel(db, own.owner);
    const channels = namedOrganizationSettings.flatMap(([name, { names }]) =>
      names === "channel" ? [name] : [],
    );
    expect(channels).to.have.length(4);
    const sent = Object.fromEntries([
      ...Object.entries(other).map(([name, [value]]) => [name, value]),
      ...channels.map((name) => [name, room.id]),
    ]);
    const data: Params = Object.fromEntries([
      ...Object.entries(other).map(([name, [, value]]) => [name, value]),
      ...channels.map((name) => [name, room.id]),
    ]);
    const untested = Object.keys(initialOrganizationSettings()).filter((name) => !(name in data));
    expect(untested).to.deep.equal(["description", "emails_restricted_to_domains"]);

    const { answer, events } = await change(own.owner, sent);
    expect(answer).to.deep.equal(
      Object.fromEntries(
        Object.entries(data).map(([name, value]) => [
          name,
          typeof value === "string" ? "updated" : value,
        ]),
      ),
    );
    const [event] = announced(events);
    expect(event).to.deep.equal(realmUpdate({ ...data, ...legacy }));
    const snapshot = await shown(own.guest);
    for (const [name, value] of Object.entries({ ...data, ...legacy }))
      expect(snapshot[`realm_${name}`], name).to.equal(value);
    expect(snapshot["jitsi_server_url"]).to.equal("https://jitsi.example");
    const audit = await db.prisma.auditLog.findMany({
      where: { realmId: own.realm.id, eventType: "realm_setting_changed" },
    });
    const initial: Params = initialOrganizationSettings();
    expect(audit.map(({ extraData }) => extraData)).to.have.deep.members(
      Object.entries(data).map(([name, value]) => ({
        setting: name,
        old: initial[name],
        new: value,
      })),
    );
    expect(await change(own.owner, sent)).to.deep.equal({ answer: {}, events: [] });
  });

  it("can be unset again", async () => {
    const own = await organization(db);
    const room = await channel(db, own.owner);
    await change(own.owner, {
      message_retention_days: 7,
      moderation_request_channel_id: room.id,
      jitsi_server_url: "https://jitsi.example",
      message_content_edit_limit_seconds: "unlimited",
    });
    const { answer, events } = await change(own.owner, {
      message_retention_days: "unlimited",
      moderation_request_channel_id: -1,
      jitsi_server_url: "default",
      message_content_edit_limit_seconds: 5,
    });
    const data = {
      message_retention_days: -1,
      moderation_request_channel_id: -1,
      jitsi_server_url: null,
      message_content_edit_limit_seconds: 5,
    };
    expect(answer).to.deep.equal(data);
    expect(announced(events)).to.deep.equal([realmUpdate(data)]);
    expect(await db.prisma.realm.findUnique({ where: { id: own.realm.id } })).to.include({
      messageRetentionDays: null,
      moderationRequestChannelId: null,
      jitsiServerUrl: null,
      contentEditLimit: 5,
    });
  });

  const ownersOnly: readonly OrganizationSettingName[] = [
    "invite_required",
    "emails_restricted_to_domains",
    "disallow_disposable_email_addresses",
    "waiting_period_threshold",
    "message_retention_days",
  ];

  it("that only owners may change are refused to administrators, with the whole request", async () => {
    expect(
      namedOrganizationSettings.flatMap(([name, setting]) => (setting.ownersOnly ? [name] : [])),
    ).to.deep.equal(ownersOnly);
    for (const [name, value] of [
      ...ownersOnly.map((name) => [name, other[name]?.[0] ?? true] as const),
      ["authentication_methods", { Email: true }] as const,
    ])
      await refuses(
        org.admin,
        { description: "Not stored", [name]: value },
        "UNAUTHORIZED_PRINCIPAL",
      );
  });

  it("other than these may be changed by administrators", async () => {
    const { answer } = await change(org.admin, { digest_weekday: 3, default_language: "fr" });
    expect(answer).to.deep.equal({ digest_weekday: 3, default_language: "updated" });
  });

  for (const params of [
    ...[
      "message_content_edit_limit_seconds",
      "message_content_delete_limit_seconds",
      "move_messages_within_stream_limit_seconds",
      "move_messages_between_streams_limit_seconds",
    ].flatMap((name) =>
      [0, -1, "soon", "null", 1.5, 2_147_483_648].map((bad) => ({ [name]: bad })),
    ),
    ...[0, -1, "realm_default", "soon", ""].map((bad) => ({ message_retention_days: bad })),
    ...[7, -1, "monday"].map((bad) => ({ digest_weekday: bad })),
    ...["inherit", "empty_topic_only", ""].map((bad) => ({ topics_policy: bad })),
    ...["everything", "ALL", ""].map((bad) => ({ message_edit_history_visibility_policy: bad })),
    ...["xx-not-one", "", "klingonisch ", "e".repeat(60)].map((bad) => ({ default_language: bad })),
    { default_code_block_language: "x".repeat(61) },
    { welcome_message_custom_text: "x".repeat(8_001) },
    { welcome_message_custom_text: "a\u0000b" },
    ...[5, 1001, "business"].map((bad) => ({ org_type: bad })),
    ...[2, -1].map((bad) => ({ video_chat_provider: bad })),
    ...[
      "jitsi.example",
      "ftp://jitsi.example",
      "javascript:alert(1)",
      `https://${"x".repeat(200)}`,
    ].map((bad) => ({ jitsi_server_url: bad })),
    ...[6, -1].map((bad) => ({ gif_rating_policy: bad })),
    { media_preview_size: 120 },
    { default_avatar_source: "U" },
    { invite_required: 1 },
    { emails_restricted_to_domains: true },
    ...[0, -2, 2_147_483_647, 10 ** 12, "general"].map((bad) => ({
      moderation_request_channel_id: bad,
    })),
    ...[
      {},
      { Email: 1 },
      { Email: false },
      { LDAP: true },
      { Email: true, LDAP: false },
      [],
      "on",
    ].map((bad) => ({ authentication_methods: bad })),
    { authentication_methods: { Email: true, dev: true } },
    { authentication_methods: { __proto__: null, constructor: true, Email: true } },
  ])
    it(`refuses ${JSON.stringify(params).slice(0, 80)}, with the whole request`, () =>
      refuses(org.owner, { description: "Not stored", ...params }));

  it("refuses values of other kinds for every setting, each with the whole request", async () => {
    const texts = ["name", "description", "welcome_message_custom_text"];
    const stored = () => db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    const before = await stored();
    for (const name of Object.keys(organizationSettings).filter((one) => !texts.includes(one)))
      for (const bad of ["[]", "{}", "[1]", '{"a":1}', "1e400", "-0.5", "\0", "x".repeat(300)]) {
        if (name === "default_code_block_language" && bad.length < 60 && bad !== "\0") continue;
        const params = { description: "Not stored", [name]: bad };
        refusedWith(await gateway.as(org.owner).call(updateRealm, { params }), "BAD_REQUEST");
      }
    expect(await stored()).to.deep.equal(before);
  });

  it("reports parameters that are not supported", async () => {
    const params = {
      enable_spectator_access: true,
      want_advertise_in_communities_directory: true,
      string_id: "other",
      can_manage_billing_group: 1,
      create_public_stream_policy: 1,
    };
    const { answer } = await change(org.owner, params);
    expect(answer).to.deep.equal({ ignored_parameters_unsupported: Object.keys(params).sort() });
  });

  describe("that name a channel", () => {
    it("refuse channels that the caller does not see, of other organizations, and archived ones", async () => {
      const own = await organization(db);
      const foreign = await channel(db, org.owner);
      const secret = await channel(db, own.owner, { inviteOnly: true });
      const gone = await channel(db, own.owner);
      await changeChannel(db, gone, { isArchived: true });
      for (const id of [foreign.id, gone.id])
        await refuses(own.owner, { signup_announcements_stream_id: id });
      await refuses(
        own.moderator,
        { signup_announcements_stream_id: secret.id },
        "UNAUTHORIZED_PRINCIPAL",
      );
      const { answer } = await change(own.owner, { signup_announcements_stream_id: secret.id });
      expect(answer).to.deep.equal({ signup_announcements_stream_id: secret.id });
    });

    it("are set to none when the channel is archived, with one event", async () => {
      const own = await organization(db);
      const room = await channel(db, own.owner);
      const rest = await channel(db, own.owner);
      await change(own.owner, {
        new_stream_announcements_stream_id: room.id,
        signup_announcements_stream_id: rest.id,
        moderation_request_channel_id: room.id,
      });
      const { events } = await eventsOf(db, own.realm.id, () =>
        gateway.as(own.owner).delete(`/api/v1/streams/${room.id}`),
      );
      expect(announced(events).filter(({ type }) => type === "realm")).to.deep.equal([
        realmUpdate({ new_stream_announcements_stream_id: -1, moderation_request_channel_id: -1 }),
      ]);
      expect(await shown(own.member)).to.include({
        realm_new_stream_announcements_stream_id: -1,
        realm_signup_announcements_stream_id: rest.id,
        realm_moderation_request_channel_id: -1,
      });
    });
  });

  describe("authentication_methods", () => {
    it("turn logging in by password and for development on and off", async () => {
      const own = await organization(db);
      const development = await startGateway(db, { site: { development: true } });
      try {
        const scene = realmChanging({ db, as: (account) => development.as(account) });
        expect((await scene.shown(own.guest))["realm_authentication_methods"]).to.deep.equal({
          Email: { enabled: true, available: true },
          dev: { enabled: true, available: true },
        });
        const { answer, events } = await scene.change(own.owner, {
          authentication_methods: { dev: true },
        });
        expect(answer).to.deep.equal({ authentication_methods: { Email: false, dev: true } });
        const told = {
          authentication_methods: {
            Email: { enabled: false, available: true },
            dev: { enabled: true, available: true },
          },
          email_auth_enabled: false,
          password_auth_enabled: false,
        };
        expect(announced(events)).to.deep.equal([realmUpdate(told)]);
        const snapshot = await scene.shown(own.guest);
        expect(snapshot["realm_authentication_methods"]).to.deep.equal(told.authentication_methods);
        expect(snapshot).to.include({ realm_password_auth_enabled: false });
        expect(
          await scene.change(own.owner, { authentication_methods: { dev: true } }),
        ).to.deep.equal({ answer: {}, events: [] });
      } finally {
        await development.close();
      }
    });
  });
});
