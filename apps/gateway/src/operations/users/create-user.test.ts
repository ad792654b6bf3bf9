import {
  createUser,
  fetchApiKey,
  getMessages,
  getOwnUser,
  listSubscriptions,
} from "@carillon/contract";
import { hostOf } from "@carillon/model";
import {
  changeOrganization,
  channel,
  deactivateUser,
  eventsOf,
  organization,
  refused,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /users", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  let count = 0;
  const fresh = (overrides: Record<string, unknown> = {}) => ({
    email: `new${++count}@carillon.test`,
    password: "correct horse",
    full_name: "Nora New",
    ...overrides,
  });
  const create = (params: Record<string, unknown>, by = org.owner) =>
    gateway.as(by).call(createUser, { params });
  const refuses = (overrides: Record<string, unknown>, code?: string) =>
    refused(db, () => create(fresh(overrides)), code);

  const changeDefaults = (settings: Record<string, unknown>) =>
    db.rows("UPDATE realm_user_defaults SET settings = settings || $2::jsonb WHERE realm_id = $1", [
      org.realm.id,
      JSON.stringify(settings),
    ]);

  it("creates a member with password, settings and group memberships", async () => {
    const { body } = await create(fresh({ full_name: "  Mia Member  " }));
    expect(body.result, body.msg).to.equal("success");
    const row = await db.prisma.user.findUniqueOrThrow({
      where: { id: body.user_id },
      include: { groupMemberships: true },
    });
    expect(row).to.include({ fullName: "Mia Member", role: 400, isBot: false });
    expect(row.groupMemberships.map(({ groupId }) => groupId)).to.have.members([
      org.groups["role:members"],
      org.groups["role:fullmembers"],
    ]);
    const audit = await db.prisma.auditLog.findMany({ where: { modifiedUserId: row.id } });
    expect(audit.map(({ actingUserId, eventType }) => [actingUserId, eventType])).to.deep.equal([
      [org.owner.id, "user_created"],
    ]);
    const settings = row.settings as Record<string, unknown>;
    expect(settings).to.include({ color_scheme: 1, web_font_size_px: 16, default_language: "en" });
    const login = await gateway.anonymous.succeed(fetchApiKey, {
      params: { username: row.deliveryEmail.toUpperCase(), password: "correct horse" },
    });
    expect(login).to.include({ email: row.deliveryEmail, user_id: row.id });
    const own = await gateway.as({ email: login.email, apiKey: login.api_key }).succeed(getOwnUser);
    expect(own).to.include({ full_name: "Mia Member", role: 400 });
  });

  it("copies the organization's defaults, which later changes do not affect", async () => {
    await changeDefaults({ web_font_size_px: 20, email_address_visibility: 3 });
    const { body } = await create(fresh());
    await changeDefaults({ web_font_size_px: 30, email_address_visibility: 1 });
    const row = await db.prisma.user.findUniqueOrThrow({ where: { id: body.user_id } });
    expect(row.settings).to.include({ web_font_size_px: 20 });
    expect(row.emailAddressVisibility).to.equal(3);
    expect(row.email).to.match(new RegExp(`^user${row.id}@`));
  });

  it("gives the new member the organization's language", async () => {
    const languageOf = async (row: Parameters<typeof changeOrganization>[2]) => {
      await changeOrganization(db, org.realm, row);
      const { body } = await create(fresh());
      const { settings } = await db.prisma.user.findUniqueOrThrow({ where: { id: body.user_id } });
      return (settings as Record<string, unknown>)["default_language"];
    };
    expect(await languageOf({ defaultLanguage: "de" })).to.equal("de");
    expect(await languageOf({ defaultLanguage: "en" })).to.equal("en");
  });

  it("subscribes the new member to the default channels and sends events to all accounts", async () => {
    const general = await channel(db, org.admin, { isDefault: true, subscribers: [org.member] });
    const { result, events } = await eventsOf(db, org.realm.id, () => create(fresh()));
    const id = result.body.user_id;
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_user/add",
      "user_group/add_members",
      "user_group/add_members",
      "subscription/peer_add",
      "message/null",
    ]);
    expect(events[0]?.audience).to.equal(null);
    expect(events[0]?.payload["person"]).to.deep.include({
      user_id: id,
      full_name: "Nora New",
      is_active: true,
      role: 400,
      profile_data: {},
    });
    expect(events[1]?.payload).to.deep.equal({
      group_id: org.groups["role:members"],
      user_ids: [id],
    });
    expect(events[3]?.payload).to.deep.equal({ stream_ids: [general.id], user_ids: [id] });
    expect(events[3]?.audience).to.include(org.member.id).and.not.include(id);
    const { subscriberCount } = await db.prisma.channel.findUniqueOrThrow({
      where: { id: general.id },
    });
    expect(subscriberCount).to.equal(2);
    const key = await gateway.anonymous.succeed(fetchApiKey, {
      params: { username: `new${count}@carillon.test`, password: "correct horse" },
    });
    const { subscriptions } = await gateway
      .as({ email: key.email, apiKey: key.api_key })
      .succeed(listSubscriptions);
    expect(subscriptions.map(({ stream_id }) => stream_id)).to.deep.equal([general.id]);
  });

  it("welcomes the new member with an unread direct message of the notification bot", async () => {
    const params = fresh({ full_name: "Wanda Welcome" });
    const { result, events } = await eventsOf(db, org.realm.id, () => create(params));
    const id = result.body.user_id;
    const { api_key, email } = await gateway.anonymous.succeed(fetchApiKey, {
      params: { username: params.email, password: params.password },
    });
    const own = gateway.as({ email, apiKey: api_key });
    const { messages } = await own.succeed(getMessages, {
      params: { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false },
    });
    expect(messages).to.have.length(1);
    const [message] = messages;
    expect(message).to.deep.include({
      type: "private",
      sender_id: org.welcomeBot.id,
      client: "Internal",
      flags: [],
    });
    expect(message?.content).to.contain(`@_**Wanda Welcome|${id}**`);
    expect((await own.succeed(getOwnUser)).max_message_id).to.equal(message?.id);
    const received = events.filter(({ type }) => type === "message");
    expect(received).to.have.length(1);
    expect(received[0]?.audience).to.have.members([id, org.welcomeBot.id]);
    expect(received[0]?.payload["message"]).to.include({ id: message?.id });
  });

  it("hides a hidden address from accounts that may not see it", async () => {
    const { events } = await eventsOf(db, org.realm.id, () =>
      user(db, org.realm, {
        email: "hidden@carillon.test",
        settings: { email_address_visibility: 3 },
      }),
    );
    const added = events.filter(({ type }) => type === "realm_user");
    expect(added).to.have.length(2);
    const [seen, unseen] = added;
    expect(seen?.payload["person"]).to.include({ delivery_email: "hidden@carillon.test" });
    expect(seen?.audience).to.include.members([org.owner.id, org.admin.id]);
    expect(seen?.audience).not.to.include(org.member.id);
    expect(unseen?.payload["person"]).to.include({ delivery_email: null });
    expect(unseen?.audience).to.include.members([org.moderator.id, org.member.id, org.guest.id]);
  });

  for (const role of ["moderator", "member", "guest", "bot"] as const) {
    it(`refuses a ${role}`, async () => {
      await refused(db, () => create({}, org[role]), "UNAUTHORIZED_PRINCIPAL");
    });
  }

  it("refuses an administrator without the permission to create users", async () => {
    await refused(db, () => create(fresh(), org.admin), "BAD_REQUEST");
  });

  for (const name of ["email", "password", "full_name"]) {
    it(`requires ${name}`, async () => {
      const ask = () => create(fresh({ [name]: undefined }));
      await refused(db, ask, "REQUEST_VARIABLE_MISSING", { var_name: name });
    });
  }

  it("reports the first missing parameter", async () => {
    await refused(db, () => create({}), "REQUEST_VARIABLE_MISSING", { var_name: "email" });
  });

  for (const [title, full_name] of [
    ["blank", "   "],
    ["longer than 100 characters", "x".repeat(101)],
    ["with an asterisk", "a*b"],
    ["with a backquote", "a`b"],
    ["with a backslash", "a\\b"],
    ["with >", "a>b"],
    ["with a quotation mark", 'a"b'],
    ["with @", "a@b"],
    ["with a control character", "a\u0007b"],
    ["with U+0000", "a\u0000b"],
    ["with a non-character", "a\uffffb"],
    ["that ends like a mention's id", "Ann|12"],
  ] as const) {
    it(`refuses a name ${title}`, () => refuses({ full_name }));
  }

  it("accepts names of 100 characters outside the BMP, and names in use", async () => {
    const full_name = "🙂".repeat(100);
    for (let i = 0; i < 2; i++) {
      const { body } = await create(fresh({ full_name }));
      expect(body.result, body.msg).to.equal("success");
    }
  });

  for (const email of [
    "",
    "nora",
    "nora@",
    "@carillon.test",
    "nora@nowhere",
    "no ra@carillon.test",
    "nora@carillon..test",
    "nora@-carillon.test",
    ".nora@carillon.test",
    `${"n".repeat(65)}@carillon.test`,
    `nora@${"c".repeat(60)}.${"c".repeat(60)}.${"c".repeat(60)}.${"c".repeat(60)}.${"c".repeat(60)}.test`,
    "nora\u0000@carillon.test",
  ]) {
    it(`refuses the address ${JSON.stringify(email.slice(0, 40))}`, () => refuses({ email }));
  }

  it("refuses an address that the server could generate", async () => {
    const host = hostOf(gateway.services.site, org.realm);
    await refuses({ email: `user99@${host}` });
  });

  it("refuses an address in use in any case, including a deactivated account's", async () => {
    await refuses({ email: org.member.deliveryEmail.toUpperCase() });
    const gone = await user(db, org.realm);
    await deactivateUser(db, gone);
    await refuses({ email: gone.deliveryEmail });
    await refuses({ email: org.notificationBot.deliveryEmail });
  });

  it("accepts an address in use in another organization", async () => {
    const other = await organization(db);
    const { body } = await create(fresh({ email: other.member.deliveryEmail }));
    expect(body.result, body.msg).to.equal("success");
  });

  it("does not treat an underscore in an address as a wildcard", async () => {
    await user(db, org.realm, { email: "aXb@carillon.test" });
    const { body } = await create(fresh({ email: "a_b@carillon.test" }));
    expect(body.result, body.msg).to.equal("success");
  });

  it("refuses a weak or too long password", async () => {
    await refuses({ password: "" });
    await refuses({ password: "five5" });
    for (const password of ["123456", "Password1", "QWERTYuiop"]) await refuses({ password });
    await refuses({ password: "x".repeat(101) });
    for (const password of [
      "a".repeat(22),
      "abcdefghij".repeat(10),
      "\uff50\uff41\uff53\uff53word",
    ])
      await refuses({ password });
  });

  it("accepts one of two concurrent requests for an address", async () => {
    const params = fresh();
    const answers = await Promise.all([1, 2, 3, 4].map(() => create(params)));
    const codes = answers.map(({ status, body }) => `${status} ${body.code ?? "ok"}`).sort();
    expect(codes).to.deep.equal([
      "200 ok",
      "400 BAD_REQUEST",
      "400 BAD_REQUEST",
      "400 BAD_REQUEST",
    ]);
  });

  it("refuses a name in use if names must be unique", async () => {
    await changeOrganization(db, org.realm, { requireUniqueNames: true });
    await user(db, org.realm, { fullName: "Zoë Zander" });
    await refuses({ full_name: "zoe\u0308 ZANDER" });
    await changeOrganization(db, org.realm, { requireUniqueNames: false });
  });

  it("creates no full member while the organization has a waiting period", async () => {
    await changeOrganization(db, org.realm, { waitingPeriodThreshold: 3 });
    const { body } = await create(fresh());
    const groups = await db.prisma.userGroupMember.findMany({ where: { userId: body.user_id } });
    expect(groups.map(({ groupId }) => groupId)).to.deep.equal([org.groups["role:members"]]);
    await changeOrganization(db, org.realm, { waitingPeriodThreshold: 0 });
  });

  it("reports unsupported parameters", async () => {
    const { body } = await create(fresh({ role: 100 }));
    expect(body.ignored_parameters_unsupported).to.deep.equal(["role"]);
  });
});
