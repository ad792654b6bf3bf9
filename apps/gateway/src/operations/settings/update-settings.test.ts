import {
  personalSettings,
  settingParameters,
  updateSettings,
  type PersonalSetting,
} from "@carillon/contract";
import { verifyPassword } from "@carillon/domain";
import {
  announced,
  countQueries,
  eventsOf,
  refused,
  type LoggedEvent,
  organization,
  reload,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("PATCH /settings", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const stored = async (of: TestAccount) => {
    const row = await db.prisma.user.findUniqueOrThrow({ where: { id: of.id } });
    return { ...(row.settings as object), ...(row.ruleSettings as object), row };
  };
  const change = async (by: TestAccount, params: Params) => {
    const { result, events } = await eventsOf(db, by.realmId, () =>
      gateway.as(by).call(updateSettings, { params }),
    );
    expect(result.body.result, result.body.msg).to.equal("success");
    return { body: result.body, events };
  };
  const refuses = async (by: TestAccount, params: Params) =>
    (await refused(db, () => gateway.as(by).call(updateSettings, { params }), "BAD_REQUEST")).msg;
  const setting = (of: TestAccount, property: string, value: unknown, more = {}) => ({
    type: "user_settings",
    op: "update",
    payload: { property, value, ...more },
    audience: [of.id],
  });
  const person = (of: TestAccount, data: object) => ({
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: of.id, ...data } },
    audience: null,
  });

  describe("settings", () => {
    it("are stored and sent to the caller alone, with one event each", async () => {
      const me = await user(db, org.realm);
      const { body, events } = await change(me, {
        enter_sends: true,
        color_scheme: 2,
        web_home_view: "recent",
        automatically_follow_topics_policy: 4,
        allow_private_data_export: true,
      });
      expect(body).to.deep.equal({ result: "success", msg: "" });
      expect(announced(events)).to.have.deep.members([
        setting(me, "enter_sends", true),
        setting(me, "color_scheme", 2),
        setting(me, "web_home_view", "recent"),
        setting(me, "automatically_follow_topics_policy", 4),
        setting(me, "allow_private_data_export", true),
      ]);
      expect(await stored(me)).to.deep.include({
        enter_sends: true,
        color_scheme: 2,
        web_home_view: "recent",
        automatically_follow_topics_policy: 4,
        allow_private_data_export: true,
      });
    });

    it("send no event if unchanged, nor for an empty request", async () => {
      const me = await user(db, org.realm);
      const same = Object.fromEntries(
        Object.entries(personalSettings).map(([name, { initial }]) => [name, initial]),
      );
      const before = (await stored(me)).row;
      expect((await change(me, same)).events).to.deep.equal([]);
      expect((await change(me, {})).events).to.deep.equal([]);
      expect((await stored(me)).row).to.deep.equal(before);
      const { events } = await change(me, { ...same, enter_sends: true });
      expect(announced(events)).to.deep.equal([setting(me, "enter_sends", true)]);
    });

    it("cover every setting, each with another value", async () => {
      const me = await user(db, org.realm);
      const declared = Object.entries<PersonalSetting>(personalSettings);
      const values = declared.map(([name, { initial, allowed }]) => {
        if (typeof initial === "boolean") return [name, !initial];
        return [name, allowed?.find((value) => value !== initial) ?? 20];
      });
      const { events } = await change(me, Object.fromEntries(values));
      const own = events.filter(({ type }) => type === "user_settings");
      expect(
        own.map(({ payload }) => [payload["property"], payload["value"]]),
      ).to.have.deep.members(values);
      expect(Object.keys(settingParameters)).to.have.members(Object.keys(personalSettings));
    });

    it("of another type or value refuse the whole request", async () => {
      const me = await user(db, org.realm);
      const unusable: Params[] = [
        { enter_sends: "1" },
        { enter_sends: "True" },
        { color_scheme: 4 },
        { color_scheme: "2.0" },
        { color_scheme: '"2"' },
        { web_home_view: "recent_topics" },
        { web_home_view: '"inbox"' },
        { emojiset: "google-blob" },
        { notification_sound: "gong" },
        { email_notifications_batching_period_seconds: 0 },
        { email_notifications_batching_period_seconds: 604_801 },
        { web_font_size_px: 1_001 },
        { email_address_visibility: 6 },
        { enable_login_emails: "null" },
      ];
      for (const params of unusable) await refuses(me, { high_contrast_mode: true, ...params });
    });

    it("change the caller's own account only", async () => {
      const [me, colleague] = [await user(db, org.realm), await user(db, org.realm)];
      const before = await stored(colleague);
      await change(me, { enter_sends: true });
      expect(await stored(colleague)).to.deep.equal(before);
      const { events } = await eventsOf(db, other.realm.id, () =>
        change(me, { enter_sends: false, email_address_visibility: 3 }),
      );
      expect(events).to.deep.equal([]);
    });

    it("are reported if unknown, beside those that are changed", async () => {
      const me = await user(db, org.realm);
      const { body, events } = await change(me, { dense_mode: true, enter_sends: true, zoom: 3 });
      expect(body.ignored_parameters_unsupported).to.deep.equal(["dense_mode", "zoom"]);
      expect(events).to.have.length(1);
    });

    it("are refused for bots", async () => {
      await refuses(org.bot, { enter_sends: true });
      const nobody = () => gateway.anonymous.call(updateSettings, { params: {} });
      await refused(db, nobody, "UNAUTHORIZED");
    });

    it("are all applied by concurrent requests", async () => {
      const me = await user(db, org.realm);
      await Promise.all([
        change(me, { enter_sends: true }),
        change(me, { color_scheme: 3 }),
        change(me, { translate_emoticons: true }),
      ]);
      expect(await stored(me)).to.deep.include({
        enter_sends: true,
        color_scheme: 3,
        translate_emoticons: true,
      });
    });
  });

  describe("timezone and default_language", () => {
    it("send the time zone to all accounts", async () => {
      const me = await user(db, org.realm);
      const { events } = await change(me, { timezone: "europe/berlin" });
      expect(announced(events)).to.deep.equal([
        setting(me, "timezone", "Europe/Berlin"),
        person(me, { timezone: "Europe/Berlin", email: me.email }),
      ]);
      expect((await reload(db, me)).timezone).to.equal("Europe/Berlin");
      expect((await change(me, { timezone: "Europe/Berlin" })).events).to.deep.equal([]);
      await change(me, { timezone: "US/Pacific" });
      expect((await reload(db, me)).timezone).to.equal("US/Pacific");
    });

    it("refuse unknown time zones", async () => {
      for (const timezone of ["", "Europe/Atlantis", "+01:00", "CET-1", "a".repeat(5_000)])
        await refuses(org.member, { timezone });
    });

    it("send the language with its name", async () => {
      const me = await user(db, org.realm);
      const { events } = await change(me, { default_language: "pt-br" });
      expect(announced(events)).to.deep.equal([
        setting(me, "default_language", "pt-br", { language_name: "Brazilian Portuguese" }),
      ]);
      expect(await stored(me)).to.deep.include({ default_language: "pt-br" });
    });

    it("refuse unknown languages", async () => {
      for (const language of ["", "klingonese", "xx", "de_DE!", "d".repeat(5_000)])
        await refuses(org.member, { default_language: language });
    });
  });

  describe("full_name", () => {
    it("is stored trimmed and sent to all accounts", async () => {
      const me = await user(db, org.realm);
      const { events } = await change(me, { full_name: " Iris Nagy " });
      expect(announced(events)).to.deep.equal([person(me, { full_name: "Iris Nagy" })]);
      expect((await reload(db, me)).fullName).to.equal("Iris Nagy");
      expect((await change(me, { full_name: "Iris Nagy " })).events).to.deep.equal([]);
    });

    it("is refused with the whole request if blank or invalid", async () => {
      for (const name of ["", "  ", "a".repeat(101), "Iris *", "Iris|5", "@iris"])
        await refuses(org.member, { full_name: name, enter_sends: true });
    });

    it("is ignored if only administrators may change names", async () => {
      const { member, admin } = await organization(db, {
        row: { nameChangesDisabled: true },
      });
      const { body, events } = await change(member, { full_name: "Iris", enter_sends: true });
      expect(body).to.deep.equal({ result: "success", msg: "" });
      expect(announced(events)).to.deep.equal([setting(member, "enter_sends", true)]);
      await change(admin, { full_name: "Iris" });
      expect((await reload(db, admin)).fullName).to.equal("Iris");
    });

    it("is unique if the organization requires it", async () => {
      const strict = await organization(db, { row: { requireUniqueNames: true } });
      await refuses(strict.member, { full_name: strict.guest.fullName.toUpperCase() });
      const { fullName } = strict.member;
      await change(strict.member, { full_name: fullName.toUpperCase() });
      expect((await reload(db, strict.member)).fullName).to.equal(fullName.toUpperCase());
    });
  });

  describe("new_password", () => {
    const hashOf = async (of: TestAccount) => (await stored(of)).row.passwordHash;

    it("replaces the old password, without an event", async () => {
      const me = await user(db, org.realm, { password: "correct horse" });
      const { events } = await change(me, {
        old_password: "correct horse",
        new_password: "battery staple",
      });
      expect(events).to.deep.equal([]);
      expect(await verifyPassword("battery staple", await hashOf(me))).to.equal(true);
      expect(await verifyPassword("correct horse", await hashOf(me))).to.equal(false);
    });

    it("requires the old password, and refuses weak ones", async () => {
      const me = await user(db, org.realm, { password: "correct horse" });
      const good = { old_password: "correct horse", new_password: "battery staple" };
      await refuses(me, { ...good, old_password: "wrong horse", enter_sends: true });
      await refuses(me, { ...good, old_password: undefined });
      await refuses(me, { ...good, old_password: `a${"\u0301\u0316".repeat(60_000)}` });
      await refuses(me, { ...good, new_password: "short" });
      await refuses(me, { ...good, new_password: "iLoveYou" });
      await refuses(me, { ...good, new_password: "a".repeat(22) });
      await refuses(me, { ...good, new_password: "a".repeat(101) });
      await refuses(me, { ...good, color_scheme: 9 });
      await refuses(me, { ...good, full_name: "" });
      const without = await user(db, org.realm);
      await refuses(without, { ...good, old_password: "" });
      expect((await change(me, { old_password: "whatever" })).events).to.deep.equal([]);
    });
  });

  describe("email_address_visibility", () => {
    const visibility = { everyone: 1, members: 2, administrators: 3, nobody: 4, moderators: 5 };
    const changes = (events: readonly LoggedEvent[], field: string) =>
      events.flatMap(({ payload, audience }) => {
        const { person: about } = payload as { person?: Record<string, unknown> };
        return about && field in about ? [{ value: about[field], audience }] : [];
      });

    it("sends the new picture even if no account gains or loses sight of the address", async () => {
      const own = await organization(db);
      await db.rows("UPDATE users SET is_active = false WHERE id = $1", [own.guest.id]);
      const { events } = await change(own.member, { email_address_visibility: visibility.members });
      const people = events.filter(({ type }) => type === "realm_user");
      const received = people.map(({ payload }) => Object.keys(payload["person"] as object));
      expect(received).to.deep.equal([
        ["user_id", "new_email"],
        ["user_id", "avatar_source", "avatar_version"],
      ]);
    });

    it("hides the address from accounts that may not see it, and sends another one to all", async () => {
      const fresh = await organization(db);
      const me = fresh.member;
      const { events } = await change(me, {
        email_address_visibility: visibility.administrators,
      });
      const after = await reload(db, me);
      expect(after.email).to.match(new RegExp(`^user${me.id}@`));
      expect(after.deliveryEmail).to.equal(me.deliveryEmail);
      expect(events.map(({ type }) => type)).to.deep.equal([
        "user_settings",
        "realm_user",
        "realm_user",
        "realm_user",
      ]);
      const [lost] = changes(events, "delivery_email");
      expect(lost?.value).to.equal(null);
      expect(lost?.audience).to.have.members([fresh.moderator.id, fresh.guest.id, fresh.bot.id]);
      expect(changes(events, "new_email")).to.deep.equal([{ value: after.email, audience: null }]);
      expect(changes(events, "avatar_version")).to.have.length(1);
      const seen = async (by: TestAccount) =>
        (await gateway.as(by).get(`/api/v1/users/${me.id}`)).body["user"] as object;
      expect(await seen(fresh.admin)).to.include({ delivery_email: me.deliveryEmail });
      expect(await seen(fresh.moderator)).to.include({ delivery_email: null, email: after.email });
    });

    it("shows the address to accounts that may see it now, without events to others", async () => {
      const fresh = await organization(db);
      const me = fresh.moderator;
      await change(me, { email_address_visibility: visibility.nobody });
      const { events } = await change(me, { email_address_visibility: visibility.moderators });
      expect(changes(events, "delivery_email")).to.have.length(1);
      const [gained] = changes(events, "delivery_email");
      expect(gained?.value).to.equal(me.deliveryEmail);
      expect(gained?.audience).to.have.members([fresh.owner.id, fresh.admin.id]);
      expect(changes(events, "new_email")).to.deep.equal([]);
      const open = await change(me, { email_address_visibility: visibility.everyone });
      expect(changes(open.events, "new_email")).to.deep.equal([
        { value: me.deliveryEmail, audience: null },
      ]);
      expect((await reload(db, me)).email).to.equal(me.deliveryEmail);
    });

    it("sends the resulting address when changed together with the time zone", async () => {
      const me = await user(db, org.realm);
      const { events } = await change(me, {
        timezone: "Asia/Tokyo",
        email_address_visibility: visibility.nobody,
      });
      const { email } = await reload(db, me);
      const about = events.flatMap(({ payload }) => {
        const { person: found } = payload as { person?: object };
        return found && "timezone" in found ? [found] : [];
      });
      expect(about).to.deep.equal([{ user_id: me.id, timezone: "Asia/Tokyo", email }]);
    });

    it("runs the same number of statements for any number of accounts", async () => {
      const fresh = await organization(db);
      const count = async (value: number) =>
        (await countQueries(db, () => change(fresh.member, { email_address_visibility: value })))
          .count;
      const few = await count(visibility.nobody);
      await change(fresh.member, { email_address_visibility: visibility.everyone });
      await Promise.all(Array.from({ length: 10 }, () => user(db, fresh.realm)));
      expect(await count(visibility.nobody)).to.equal(few);
    });
  });

  describe("presence_enabled", () => {
    it("shows the caller as offline at once, and as online again", async () => {
      const me = await user(db, org.realm);
      await gateway.as(me).post("/api/v1/users/me/presence", { status: "active" });
      const off = await change(me, { presence_enabled: false });
      const gone = off.events.find(({ type }) => type === "presence");
      expect(gone?.audience).to.equal(null);
      const ago =
        Number(gone?.payload["server_timestamp"]) - Number(gone?.payload["idle_timestamp"]);
      expect(ago).to.be.greaterThan(140);
      const again = await change(me, { presence_enabled: true });
      expect(again.events.map(({ type }) => type)).to.include("user_settings");
      const { body } = await gateway.as(org.admin).get("/api/v1/realm/presence");
      expect(body["presences"]).to.have.property(me.email);
    });

    it("sends no event if the caller was offline anyway", async () => {
      const me = await user(db, org.realm);
      const { events } = await change(me, { presence_enabled: false });
      expect(announced(events)).to.deep.equal([setting(me, "presence_enabled", false)]);
    });
  });
});
