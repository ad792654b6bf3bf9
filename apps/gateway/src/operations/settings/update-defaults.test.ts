import {
  createBot,
  createUser,
  getSettings,
  personalSettings,
  register,
  updateSettingsDefaults,
  type PersonalSetting,
} from "@carillon/contract";
import {
  announced,
  countQueries,
  countWaiting,
  eventsOf,
  organization,
  type Params,
  type Refusable,
  refused,
  refusedWith,
  roles,
  type TestAccount,
  unique,
  user,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { lockGroupGraph } from "@carillon/model";
import { expect } from "chai";

const declared = Object.entries<PersonalSetting>(personalSettings);

/** A value other than a new organization's, for every setting with a default. */
const others: Params = Object.fromEntries(
  declared
    .filter(([, { realmDefault }]) => realmDefault)
    .map(([name, { initial, allowed }]) => [
      name,
      typeof initial === "boolean" ? !initial : (allowed?.find((each) => each !== initial) ?? 20),
    ]),
);

describe("PATCH /realm/user_settings_defaults", () => {
  const scene = useScene();
  const change = (params: Params, by: TestAccount = scene.org.admin) =>
    scene.as(by).call(updateSettingsDefaults, { params });
  const succeeds = async (params: Params, by?: TestAccount) => {
    const { result, events } = await eventsOf(scene.db, (by ?? scene.org.admin).realmId, () =>
      change(params, by),
    );
    expect(result.status, result.body.msg).to.equal(200);
    return { body: result.body, events: announced(events) };
  };
  const refuses = (params: Params, by?: TestAccount, code?: string) =>
    refused(scene.db, () => change(params, by), code);
  const received = (property: string, value: unknown) => ({
    type: "realm_user_settings_defaults",
    op: "update",
    payload: { property, value },
    audience: null,
  });
  const defaults = async (of: TestAccount) => {
    const params = { fetch_event_types: ["realm_user_settings_defaults"] };
    const snapshot: Params = await scene.as(of).succeed(register, { params });
    return snapshot["realm_user_settings_defaults"] as Params;
  };
  const settingsOf = async (of: TestAccount): Promise<Params> =>
    (await scene.as(of).succeed(getSettings)).user_settings;
  const join = async (by: TestAccount) => {
    const params = { email: `${unique("new")}@x.test`, full_name: "New", password: unique("pass") };
    const { user_id: id } = await scene.as(by).succeed(createUser, { params });
    return scene.db.prisma.user.findUniqueOrThrow({ where: { id } });
  };

  it("changes every default, each with one event for all accounts and one audit entry", async () => {
    const { realm, admin, guest } = await organization(scene.db);
    const { body, events } = await succeeds(others, admin);
    expect(body).to.deep.equal({ result: "success", msg: "" });
    expect(events).to.have.deep.members(
      Object.entries(others).map(([name, value]) => received(name, value)),
    );
    expect(await defaults(guest)).to.deep.include(others);
    const audit = await scene.db.prisma.auditLog.findMany({
      where: { realmId: realm.id, eventType: "realm_user_default_changed" },
    });
    expect(audit.map(({ extraData }) => extraData)).to.have.deep.members(
      Object.entries(others).map(([setting, value]) => ({
        setting,
        old: personalSettings[setting as keyof typeof personalSettings].initial,
        new: value,
      })),
    );
    expect(new Set(audit.map(({ actingUserId }) => actingUserId))).to.deep.equal(
      new Set([admin.id]),
    );
    expect(await defaults(scene.org.guest)).to.include({ enter_sends: false, color_scheme: 1 });
  });

  it("writes nothing and sends no event for unchanged values, and handles only new ones beside them", async () => {
    const { admin } = await organization(scene.db);
    await succeeds({ color_scheme: 2 }, admin);
    const nothing = async () =>
      expect((await succeeds({ color_scheme: 2, enter_sends: false }, admin)).events).to.deep.equal(
        [],
      );
    const row = () =>
      scene.db.rows<{ xmin: string }>(
        "SELECT xmin::text FROM realm_user_defaults WHERE realm_id = $1",
        [admin.realmId],
      );
    const before = await row();
    await nothing();
    expect((await succeeds({}, admin)).events).to.deep.equal([]);
    expect(await row()).to.deep.equal(before);
    const { events } = await succeeds({ color_scheme: 2, enter_sends: true }, admin);
    expect(events).to.deep.equal([received("enter_sends", true)]);
  });

  it("reports unsupported settings and applies the others", async () => {
    const { body, events } = await succeeds({
      timezone: "Europe/Berlin",
      enter_sends: true,
      dense_mode: true,
      default_language: "de",
      enable_login_emails: false,
      enable_marketing_emails: true,
      allow_private_data_export: true,
    });
    expect(body.ignored_parameters_unsupported).to.deep.equal([
      "allow_private_data_export",
      "default_language",
      "dense_mode",
      "enable_login_emails",
      "enable_marketing_emails",
      "timezone",
    ]);
    expect(events).to.deep.equal([received("enter_sends", true)]);
  });

  it("refuses the whole request if one value is unusable", async () => {
    const { msg } = await refuses({ fluid_layout_width: true, color_scheme: 4 });
    expect(msg).to.include("color_scheme");
    const unusable: ReadonlyArray<readonly [name: string, ...values: unknown[]]> = [
      ["enter_sends", "1", "True", '"true"', "null", ""],
      ["color_scheme", 0, "2.0", '"2"', "[2]"],
      ["web_home_view", "recent_topics", '"inbox"', "Inbox", ""],
      ["emojiset", "google-blob"],
      ["web_animate_image_previews", "sometimes"],
      ["resolved_topic_notice_auto_read_policy", "true"],
      ["notification_sound", "gong", "Zulip", "\u0000"],
      ["email_notifications_batching_period_seconds", 0, 604_801, -1],
      ["web_font_size_px", 0, 1_001, "1e2", "9".repeat(400)],
      ["web_line_height_percent", 0, "140%"],
      ["email_address_visibility", 0, 6],
      ["web_channel_default_view", 5],
      ["demote_inactive_streams", 4],
      ["user_list_style", 4],
      ["web_stream_unreads_count_display_policy", 4],
      ["web_mark_read_on_scroll_policy", 4],
      ["desktop_icon_count_display", 5],
      ["realm_name_in_email_notifications_policy", 4],
      ["automatically_follow_topics_policy", 5],
      ["automatically_unmute_topics_in_muted_streams_policy", 5],
    ];
    for (const [name, ...values] of unusable)
      for (const value of values) await refuses({ fluid_layout_width: true, [name]: value });
  });

  it("accepts the values at both ends of each range", async () => {
    const { admin } = await organization(scene.db);
    for (const [low, high] of [
      [1, 604_800],
      [604_800, 1],
    ])
      await succeeds(
        {
          email_notifications_batching_period_seconds: low,
          web_font_size_px: Math.min(high ?? 1, 1_000),
          notification_sound: low === 1 ? "none" : "deep tom",
        },
        admin,
      );
  });

  it("allows administrators, including bots", async () => {
    const { moderator, member, guest, bot, owner, realm } = scene.org;
    for (const by of [moderator, member, guest, bot]) {
      await refuses({ hide_ai_features: true }, by, "UNAUTHORIZED_PRINCIPAL");
      await refuses({ color_scheme: 9 }, by, "UNAUTHORIZED_PRINCIPAL");
    }
    await refused(
      scene.db,
      () => scene.gateway.anonymous.call(updateSettingsDefaults),
      "UNAUTHORIZED",
    );
    await succeeds({ hide_ai_features: true }, owner);
    const robot = await user(scene.db, realm, { role: roles.administrator, isBot: true });
    const { events } = await succeeds({ hide_ai_features: false }, robot);
    expect(events).to.deep.equal([received("hide_ai_features", false)]);
  });

  describe("new accounts", () => {
    it("get a copy that later changes do not affect", async () => {
      const { owner, member } = await organization(scene.db);
      const earlier = await settingsOf(member);
      await succeeds(others, owner);
      const newcomer = await join(owner);
      const stored = {
        ...(newcomer.settings as object),
        ...(newcomer.ruleSettings as object),
        email_address_visibility: newcomer.emailAddressVisibility,
      };
      expect(stored).to.deep.equal({ ...others, default_language: "en" });
      expect(await settingsOf(member)).to.deep.equal(earlier);

      await succeeds({ color_scheme: 3, twenty_four_hour_time: false }, owner);
      const again = await scene.db.prisma.user.findUniqueOrThrow({ where: { id: newcomer.id } });
      expect(again).to.deep.equal(newcomer);
    });

    it("that are bots get no defaults, and show their address", async () => {
      const { owner } = await organization(scene.db);
      await succeeds({ ...others, email_address_visibility: 4 }, owner);
      const name = unique("robot");
      const params = { full_name: name, short_name: name };
      const { user_id: id } = await scene.as(owner).succeed(createBot, { params });
      const robot = await scene.db.prisma.user.findUniqueOrThrow({ where: { id } });
      expect(robot).to.deep.include({ settings: {}, ruleSettings: {}, emailAddressVisibility: 1 });
      expect(robot.email).to.equal(robot.deliveryEmail);
    });
  });

  it("applies two concurrent requests, and does nothing for an equal one", async () => {
    const { realm, admin, owner } = await organization(scene.db);
    const { result, events } = await eventsOf(scene.db, realm.id, () =>
      Promise.all([
        change({ enter_sends: true, color_scheme: 2 }, admin),
        change({ enter_sends: true, user_list_style: 1 }, owner),
        change({ enter_sends: true }, admin),
      ]),
    );
    expect(result.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(announced(events)).to.have.deep.members([
      received("enter_sends", true),
      received("color_scheme", 2),
      received("user_list_style", 1),
    ]);
    expect(await defaults(admin)).to.include({
      enter_sends: true,
      color_scheme: 2,
      user_list_style: 1,
    });
  });

  it("is refused if the caller has lost the administrator role while waiting", async () => {
    const { db } = scene;
    const there = await organization(db);
    const by = await user(db, there.realm, { role: roles.administrator });
    let answer: Promise<Refusable> | undefined;
    await db.transaction(async (tx) => {
      await lockGroupGraph(tx, there.realm.id);
      answer = change({ enter_sends: true }, by);
      await waitFor(async () => (await countWaiting(db.pool)) === 1, {
        what: "the request waits for the change of the account",
      });
      await (await tx.prisma()).user.update({ where: { id: by.id }, data: { role: roles.member } });
    });
    if (!answer) throw new Error("nothing was asked");
    refusedWith(await answer, "UNAUTHORIZED_PRINCIPAL");
    expect(await defaults(by)).to.include({ enter_sends: false });
  });

  it("runs the same number of statements for any number of settings", async () => {
    const { admin } = await organization(scene.db);
    const count = async (params: Params) =>
      (await countQueries(scene.db, () => change(params, admin))).count;
    const one = await count({ hide_ai_features: true });
    expect(await count(others)).to.equal(one);
  });
});
