import { createBot, deactivateBot, getOwnUser, listBots, register } from "@carillon/contract";
import { hostOf } from "@carillon/model";
import {
  bot,
  changeOrganization,
  channel,
  countQueries,
  eventsOf,
  organization,
  refused,
  reload,
  roles,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

let count = 0;
const fresh = (more: Params = {}) => ({
  full_name: `Robot ${++count}`,
  short_name: `robot-${count}`,
  ...more,
});

describe("POST /bots", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const create = (by: TestAccount, params: Params) => gateway.as(by).call(createBot, { params });
  const refuses = (by: TestAccount, params: Params) =>
    refused(db, () => create(by, params), "BAD_REQUEST");

  it("creates a member owned by the caller, with its own API key and no subscriptions", async () => {
    await channel(db, org.owner, { isDefault: true });
    const params = fresh({ full_name: "  Bertha Bot  ", short_name: "bertha" });
    const { body } = await create(org.member, params);
    expect(body.result, body.msg).to.equal("success");
    const address = `bertha-bot@${hostOf(gateway.services.site, org.realm)}`;
    const row = await db.prisma.user.findUniqueOrThrow({
      where: { id: body.user_id },
      include: { subscriptions: true, groupMemberships: true },
    });
    expect(row).to.include({
      fullName: "Bertha Bot",
      deliveryEmail: address,
      email: address,
      role: 400,
      isBot: true,
      botType: 1,
      botOwnerId: org.member.id,
      passwordHash: null,
    });
    expect(row.subscriptions).to.deep.equal([]);
    expect(row.groupMemberships.map(({ groupId }) => groupId)).to.have.members([
      org.groups["role:members"],
      org.groups["role:fullmembers"],
    ]);
    const audit = await db.prisma.auditLog.findMany({ where: { modifiedUserId: row.id } });
    expect(audit.map(({ actingUserId, eventType }) => [actingUserId, eventType])).to.deep.equal([
      [org.member.id, "user_created"],
    ]);
    const own = await gateway.as({ email: address, apiKey: body.api_key }).succeed(getOwnUser);
    expect(own).to.include({ user_id: body.user_id, avatar_url: body.avatar_url });
    expect(body).to.include({
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
    });
  });

  it("sends events to all accounts, and the owner's details to the owner and administrators only", async () => {
    const room = await channel(db, org.member);
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      create(
        org.member,
        fresh({
          default_sending_stream: room.name.toUpperCase(),
          default_events_register_stream: room.name,
          default_all_public_streams: true,
        }),
      ),
    );
    const { user_id } = result.body;
    const defaults = {
      default_sending_stream: room.name,
      default_events_register_stream: room.name,
      default_all_public_streams: true,
    };
    expect(result.body).to.include(defaults);
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_user/add",
      "user_group/add_members",
      "user_group/add_members",
      "realm_bot/add",
    ]);
    expect(events[0]?.payload["person"]).to.include({
      user_id,
      is_bot: true,
      bot_type: 1,
      bot_owner_id: org.member.id,
    });
    expect(events[3]?.payload).to.deep.equal({ bot: { user_id, services: [], ...defaults } });
    expect(events[3]?.audience).to.have.members([org.owner.id, org.admin.id, org.member.id]);
    const { realm_bots } = (await gateway
      .as(org.member)
      .succeed(register, { params: { fetch_event_types: ["realm_bot"] } })) as unknown as {
      realm_bots: Array<{ user_id: number }>;
    };
    expect(realm_bots.find((one) => one.user_id === user_id)).to.deep.equal({
      user_id,
      services: [],
      ...defaults,
    });
  });

  it("refuses bots and guests", async () => {
    for (const name of ["owner", "admin", "moderator", "member"] as const)
      expect((await create(org[name], fresh())).body.result).to.equal("success");
    for (const name of ["guest", "bot"] as const) await refuses(org[name], fresh());
    await refused(db, () => gateway.anonymous.call(createBot, { params: fresh() }), "UNAUTHORIZED");
  });

  it("requires the permission to create bots, and a second one for bots that only write", async () => {
    const own = await organization(db, {});
    const groups = own.groups;
    const set = (bots: number, writers: number) =>
      changeOrganization(db, own.realm, {
        canCreateBotsGroupId: bots,
        canCreateWriteOnlyBotsGroupId: writers,
      });
    const may = async (by: TestAccount, bot_type: number) =>
      (await create(by, fresh({ bot_type }))).body.result === "success";
    await set(groups["role:moderators"], groups["role:members"]);
    expect(await may(own.member, 1)).to.equal(false);
    expect(await may(own.member, 2)).to.equal(true);
    expect(await may(own.moderator, 1)).to.equal(true);
    await set(groups["role:moderators"], groups["role:nobody"]);
    expect(await may(own.member, 2)).to.equal(false);
    expect(await may(own.moderator, 2)).to.equal(true);
    await set(groups["role:nobody"], groups["role:nobody"]);
    expect(await may(own.owner, 1)).to.equal(false);
  });

  for (const name of ["full_name", "short_name"])
    it(`requires ${name}`, async () => {
      const { body } = await create(org.member, fresh({ [name]: undefined }));
      expect(body).to.include({ code: "REQUEST_VARIABLE_MISSING", var_name: name });
    });

  for (const [title, params] of [
    ["a blank name", { full_name: "  " }],
    ["a name with @", { full_name: "a@b" }],
    ["a name of more than 100 characters", { full_name: "x".repeat(101) }],
    ["a blank short name", { short_name: " " }],
    ["a short name that cannot start an address", { short_name: "a b" }],
    ["a short name with @", { short_name: "a@carillon.test" }],
    ["a short name that is too long", { short_name: "x".repeat(80) }],
    ["an unknown type", { bot_type: 7 }],
    ["an embedded bot", { bot_type: 4 }],
    ["a type in words", { bot_type: "generic" }],
    ["an unknown channel", { default_sending_stream: "nowhere" }],
    ["an unknown channel to listen to", { default_events_register_stream: "nowhere" }],
    ["a flag in words", { default_all_public_streams: "yes" }],
  ] as const)
    it(`refuses ${title}`, () => refuses(org.member, fresh(params)));

  it("refuses a private channel that the caller does not see", async () => {
    const secret = await channel(db, org.owner, { inviteOnly: true });
    await refuses(org.member, fresh({ default_sending_stream: secret.name }));
  });

  it("refuses an address in use, including a deactivated account's", async () => {
    const params = fresh();
    const { body } = await create(org.member, params);
    await refuses(org.owner, fresh({ short_name: params.short_name.toUpperCase() }));
    await gateway.as(org.member).succeed(deactivateBot, { path: { bot_id: body.user_id } });
    await refuses(org.owner, fresh({ short_name: params.short_name }));
  });

  it("refuses an active account's name in any case and accepts a deactivated account's", async () => {
    const params = fresh({ full_name: "Zoë Bot" });
    const { body } = await create(org.member, params);
    await refuses(org.owner, fresh({ full_name: "zoe\u0308 BOT" }));
    await refuses(org.owner, fresh({ full_name: org.guest.fullName }));
    await gateway.as(org.member).succeed(deactivateBot, { path: { bot_id: body.user_id } });
    expect((await create(org.owner, fresh({ full_name: "Zoë Bot" }))).body.result).to.equal(
      "success",
    );
  });

  it("creates one bot when several concurrent requests use the same name or address", async () => {
    const full_name = "Racing Robot";
    const named = await Promise.all([1, 2, 3].map(() => create(org.member, fresh({ full_name }))));
    expect(named.filter(({ status }) => status === 200)).to.have.length(1);
    const short_name = "racing";
    const addressed = await Promise.all(
      [1, 2, 3].map(() => create(org.member, fresh({ short_name }))),
    );
    const statuses = addressed.map(({ status }) => status);
    expect(statuses).to.have.members([200, 400, 400]);
  });

  it("accepts the parameters of outgoing webhooks for other types, without effect", async () => {
    const params = { payload_url: "nowhere", interface_type: 2, service_name: "x".repeat(200) };
    const { body } = await create(org.member, fresh(params));
    expect(body).not.to.have.property("ignored_parameters_unsupported");
    expect(await db.prisma.botService.findUnique({ where: { botId: body.user_id } })).to.equal(
      null,
    );
  });
});

describe("GET /bots", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  it("lists the caller's own active bots with their keys", async () => {
    const room = await channel(db, org.admin);
    const { body } = await gateway
      .as(org.admin)
      .call(createBot, { params: fresh({ default_sending_stream: room.name }) });
    await bot(db, org.admin, { isActive: false });
    const { bots } = await gateway.as(org.admin).succeed(listBots);
    expect(bots).to.have.length(1);
    const { user_id } = body;
    const { deliveryEmail, fullName } = await db.prisma.user.findUniqueOrThrow({
      where: { id: user_id },
    });
    expect(bots[0]).to.deep.equal({
      username: deliveryEmail,
      full_name: fullName,
      api_key: body.api_key,
      avatar_url: body.avatar_url,
      default_sending_stream: room.name,
      default_events_register_stream: null,
      default_all_public_streams: false,
    });
    const logIn = gateway.as({ email: deliveryEmail, apiKey: body.api_key });
    expect((await logIn.call(getOwnUser)).status).to.equal(200);
    expect((await gateway.as(org.owner).succeed(listBots)).bots).to.deep.equal([]);
  });

  it("refuses bots and guests", async () => {
    for (const name of ["guest", "bot"] as const)
      await refused(db, () => gateway.as(org[name]).call(listBots), "BAD_REQUEST");
    await refused(db, () => gateway.anonymous.call(listBots), "UNAUTHORIZED");
  });

  it("runs the same number of statements for any number of bots", async () => {
    const asked = () => countQueries(db, () => gateway.as(org.moderator).succeed(listBots));
    await bot(db, org.moderator);
    const one = await asked();
    for (let i = 0; i < 5; i++) await bot(db, org.moderator);
    const many = await asked();
    expect(many.result.bots).to.have.length(6);
    expect(many.count).to.equal(one.count);
  });
});

describe("DELETE /bots/{bot_id}", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const remove = (by: TestAccount, id: number) =>
    gateway.as(by).call(deactivateBot, { path: { bot_id: id } });
  const refuses = (by: TestAccount, id: number, code?: string) =>
    refused(db, () => remove(by, id), code);

  it("deactivates the bot for its owner and for administrators, effective at once", async () => {
    for (const by of [org.member, org.owner, org.admin]) {
      const machine = await bot(db, org.member);
      const room = await channel(db, org.owner, { subscribers: [machine] });
      await gateway.as(machine).succeed(register, { params: { fetch_event_types: [] } });
      const { result, events } = await eventsOf(db, org.realm.id, () => remove(by, machine.id));
      expect(result.body).to.deep.equal({ result: "success", msg: "" });
      expect(events.map(({ type, op, payload }) => ({ type, op, payload }))).to.deep.equal([
        {
          type: "subscription",
          op: "peer_remove",
          payload: { stream_ids: [room.id], user_ids: [machine.id] },
        },
        {
          type: "realm_user",
          op: "update",
          payload: { person: { user_id: machine.id, is_active: false } },
        },
      ]);
      await refused(db, () => gateway.as(machine).call(getOwnUser), "UNAUTHORIZED");
      expect(await db.prisma.eventQueue.count({ where: { userId: machine.id } })).to.equal(0);
    }
  });

  it("refuses other callers, including the bot itself", async () => {
    const machine = await bot(db, org.owner);
    for (const name of ["moderator", "member", "guest", "bot"] as const)
      await refuses(org[name], machine.id);
    await refuses(machine, machine.id);
    expect((await reload(db, machine)).isActive).to.equal(true);
    await refused(
      db,
      () => gateway.anonymous.call(deactivateBot, { path: { bot_id: machine.id } }),
      "UNAUTHORIZED",
    );
  });

  it("lets a bot with the administrator role deactivate other bots", async () => {
    const machine = await bot(db, org.owner, { role: roles.administrator });
    const target = await bot(db, org.member);
    expect((await remove(machine, target.id)).status).to.equal(200);
  });

  it("refuses all but owners if the bot may create users, including the bot's owner", async () => {
    const powerful = await bot(db, org.admin, { canCreateUsers: true });
    await refuses(org.admin, powerful.id, "UNAUTHORIZED_PRINCIPAL");
    expect((await remove(org.owner, powerful.id)).status).to.equal(200);
  });

  it("refuses people, system bots, deactivated bots and bots of other organizations as unknown", async () => {
    const gone = await bot(db, org.member, { isActive: false });
    for (const id of [org.guest.id, org.welcomeBot.id, gone.id, other.bot.id, 0])
      await refuses(org.owner, id);
    expect((await reload(db, other.bot)).isActive).to.equal(true);
    expect((await reload(db, await user(db, org.realm))).isActive).to.equal(true);
  });
});
