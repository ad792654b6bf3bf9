import { getOwnUser, updateBot, updateUser } from "@carillon/contract";
import { hostOf } from "@carillon/model";
import {
  announced,
  bot,
  changeOrganization,
  channel,
  countQueries,
  deactivateUser,
  eventsOf,
  organization,
  personChange,
  refused,
  refusedAlike,
  reload,
  roles,
  type TestAccount,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("PATCH /bots/{bot_id}", () => {
  const scene = useScene();
  const { db } = scene;

  const patch = (by: TestAccount, id: number, params: Params) =>
    scene.as(by).call(updateBot, { path: { bot_id: id }, params });
  const refuses = (by: TestAccount, id: number, params: Params, code = "BAD_REQUEST") =>
    refused(db, () => patch(by, id, params), code);
  const change = async (by: TestAccount, target: TestAccount, params: Params) => {
    const { result, events } = await eventsOf(db, target.realmId, () =>
      patch(by, target.id, params),
    );
    expect(result.body.result, result.body.msg).to.equal("success");
    // Rows for gateways only are not sent to clients.
    const received = announced(events).filter(({ type }) => type !== "api_key_changed");
    return { body: result.body, events: received, now: await reload(db, target) };
  };
  const auditOf = async ({ id }: TestAccount) =>
    (
      await db.prisma.auditLog.findMany({ where: { modifiedUserId: id }, orderBy: { id: "asc" } })
    ).map(({ actingUserId, eventType, extraData }) => [actingUserId, eventType, extraData]);

  describe("permissions", () => {
    it("allows the owner and administrators, including bots, also for a deactivated bot", async () => {
      const machine = await bot(db, scene.org.owner, { role: roles.administrator });
      const { member, admin, owner } = scene.org;
      for (const isActive of [true, false])
        for (const by of [member, admin, owner, machine]) {
          const target = await bot(db, member, { isActive });
          const full_name = `Changed by ${by.id} ${target.id}`;
          const { body, events, now } = await change(by, target, { full_name });
          expect(body).to.include({ full_name, bot_owner: member.email });
          expect(events).to.deep.equal([personChange(target.id, { full_name })]);
          expect(now.fullName).to.equal(full_name);
        }
    });

    it("refuses other accounts, the bot itself, and a guest who no longer owns it", async () => {
      const { owner, member, moderator, guest } = scene.org;
      const target = await bot(db, owner);
      for (const by of [moderator, member, guest, target])
        await refuses(by, target.id, { full_name: "Mine Now" });
      const path = { bot_id: target.id };
      await refused(db, () => scene.gateway.anonymous.call(updateBot, { path }), "UNAUTHORIZED");
    });

    it("refuses people, system bots, bots of other organizations and IDs out of range as unknown", async () => {
      const other = await organization(db);
      await refusedAlike(
        db,
        [scene.org.member.id, scene.org.welcomeBot.id, other.bot.id, 0, 2_147_483_647],
        (id) => patch(scene.org.owner, id, { full_name: "Nobody" }),
      );
    });

    it("refuses all but owners if the bot has the owner role, including the bot's owner", async () => {
      const { admin, owner } = scene.org;
      const powerful = await bot(db, admin, { role: roles.owner });
      for (const params of [{ full_name: "Tamed" }, { role: 400 }, { bot_owner_id: admin.id }, {}])
        await refuses(admin, powerful.id, params, "UNAUTHORIZED_PRINCIPAL");
      await change(owner, powerful, { full_name: "Tamed by an Owner" });
    });

    it("refuses all but owners if the bot may create users, including the bot's owner", async () => {
      const { admin, owner } = scene.org;
      const powerful = await bot(db, admin, { canCreateUsers: true });
      await refuses(admin, powerful.id, { full_name: "Tamed" }, "UNAUTHORIZED_PRINCIPAL");
      await change(owner, powerful, { full_name: "Tamed" });
    });
  });

  describe("response", () => {
    it("contains the whole bot, and an empty request writes no event", async () => {
      const { member } = scene.org;
      const target = await bot(db, member);
      const { body, events, now } = await change(member, target, {});
      const { avatar_url, ...rest } = body;
      expect(avatar_url).to.match(/^https:\/\/secure\.gravatar\.com\/avatar\//);
      expect(rest).to.deep.equal({
        result: "success",
        msg: "",
        full_name: target.fullName,
        default_sending_stream: null,
        default_events_register_stream: null,
        default_all_public_streams: false,
        bot_owner: member.email,
        service_interface: null,
        service_payload_url: null,
        config_data: null,
      });
      expect(events).to.deep.equal([]);
      expect(now).to.deep.equal(target);
    });

    it("names the owner by the address that all accounts see, or omits the owner if there is none", async () => {
      const { realm, owner } = scene.org;
      const hidden = await user(db, realm, { settings: { email_address_visibility: 4 } });
      const target = await bot(db, hidden);
      expect((await change(owner, target, {})).body.bot_owner).to.equal(hidden.email);
      await db.rows("UPDATE users SET bot_owner_id = NULL WHERE id = $1", [target.id]);
      expect((await change(owner, target, {})).body).not.to.have.property("bot_owner");
    });

    it("refuses the parameters of outgoing webhooks for other bots", async () => {
      const { member } = scene.org;
      const target = await bot(db, member);
      await refuses(member, target.id, { service_payload_url: "https://example.org" });
      await refuses(member, target.id, { service_interface: 1 });
    });
  });

  describe("full_name", () => {
    for (const name of ["", "  ", "a@b", "a*b", "x".repeat(101), "Ann|12", "a\u0000b"])
      it(`refuses ${JSON.stringify(name.slice(0, 9))}`, async () =>
        refuses(scene.org.member, (await bot(db, scene.org.member)).id, { full_name: name }));

    it("refuses another active account's name in any case, and accepts its own in another case", async () => {
      const { member, guest, realm } = scene.org;
      const target = await bot(db, member);
      await refuses(member, target.id, { full_name: guest.fullName.toUpperCase() });
      const gone = await user(db, realm, { isActive: false });
      await change(member, target, { full_name: gone.fullName });
      const { now } = await change(member, target, { full_name: gone.fullName.toUpperCase() });
      expect(now.fullName).to.equal(gone.fullName.toUpperCase());
    });

    it("refuses names of all accounts, deactivated ones too, if names must be unique", async () => {
      const own = await organization(db);
      const target = await bot(db, own.member);
      const gone = await user(db, own.realm, { isActive: false });
      await changeOrganization(db, own.realm, { requireUniqueNames: true });
      await refuses(own.member, target.id, { full_name: gone.fullName });
    });

    it("gives the name to one of two concurrent requests", async () => {
      const { member } = scene.org;
      const [a, b] = [await bot(db, member), await bot(db, member)];
      const answers = await Promise.all(
        [a, b].map(({ id }) => patch(member, id, { full_name: "Wanted Twice" })),
      );
      expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    });
  });

  describe("role", () => {
    it("requires an administrator, and an owner for the owner role", async () => {
      const { member, admin, owner } = scene.org;
      const target = await bot(db, member);
      for (const role of [300, 600, 100, 200])
        await refuses(member, target.id, { role }, "UNAUTHORIZED_PRINCIPAL");
      await refuses(admin, target.id, { role: 100 }, "UNAUTHORIZED_PRINCIPAL");
      expect((await change(member, target, { role: 400 })).events).to.deep.equal([]);
      expect((await change(admin, target, { role: 300 })).now.role).to.equal(300);
      expect((await change(owner, target, { role: 100 })).now.role).to.equal(100);
      await refuses(admin, target.id, { role: 400 }, "UNAUTHORIZED_PRINCIPAL");
      expect(await auditOf(target)).to.deep.include.members([
        [admin.id, "user_role_changed", { old: 400, new: 300 }],
        [owner.id, "user_role_changed", { old: 300, new: 100 }],
      ]);
    });

    it("sends the events of the system groups that follow from the role", async () => {
      const { member, admin, groups } = scene.org;
      const target = await bot(db, member);
      const { events } = await change(admin, target, { role: 300 });
      expect(events.slice(0, 3)).to.deep.equal([
        personChange(target.id, { role: 300 }),
        ...(["remove_members", "add_members"] as const).map((op) => ({
          type: "user_group",
          op,
          payload: {
            group_id: groups[op === "add_members" ? "role:moderators" : "role:members"],
            user_ids: [target.id],
          },
          audience: null,
        })),
      ]);
    });

    it("refuses to make a guest bot an administrator, or to change the role of a guest's bot", async () => {
      const { realm, admin, owner } = scene.org;
      const keeper = await user(db, realm);
      const target = await bot(db, keeper, { role: roles.guest });
      await refuses(admin, target.id, { role: 200 });
      const path = { user_id: keeper.id };
      await scene.as(owner).succeed(updateUser, { path, params: { role: roles.guest } });
      await refuses(admin, target.id, { role: 400 });
    });

    for (const value of ["0", "150", "member", "", "null"])
      it(`refuses ${JSON.stringify(value)}`, async () =>
        refuses(scene.org.owner, (await bot(db, scene.org.member)).id, { role: value }));
  });

  describe("bot_owner_id", () => {
    it("transfers the bot and sends both owners the bots that they administer", async () => {
      const { admin, member, moderator } = scene.org;
      const target = await bot(db, member);
      const { body, events, now } = await change(admin, target, { bot_owner_id: moderator.id });
      expect(body.bot_owner).to.equal(moderator.email);
      expect(now.botOwnerId).to.equal(moderator.id);
      await refused(db, () => scene.as(target).call(getOwnUser), "UNAUTHORIZED");
      const of = (op: string, audience: number[], payload: object) => ({
        type: "realm_bot",
        op,
        payload,
        audience,
      });
      expect(events).to.deep.equal([
        personChange(target.id, { bot_owner_id: moderator.id }),
        of("delete", [member.id], { bot: { user_id: target.id } }),
        of("add", [moderator.id], {
          bot: {
            user_id: target.id,
            services: [],
            default_sending_stream: null,
            default_events_register_stream: null,
            default_all_public_streams: false,
          },
        }),
      ]);
      expect(await auditOf(target)).to.deep.include([
        admin.id,
        "bot_owner_changed",
        { old: member.id, new: moderator.id },
      ]);
      await refuses(member, target.id, { full_name: "No More Mine" });
      await change(moderator, target, { bot_owner_id: moderator.id });
    });

    it("sends administrators the same events as all accounts, since they administer the bot before and after", async () => {
      const { admin, owner } = scene.org;
      const target = await bot(db, admin);
      const { events } = await change(owner, target, { bot_owner_id: owner.id });
      expect(events).to.deep.equal([personChange(target.id, { bot_owner_id: owner.id })]);
      expect((await change(owner, target, { bot_owner_id: owner.id })).events).to.deep.equal([]);
    });

    it("refuses owners that are unknown, deactivated, of another organization, bots or guests", async () => {
      const { member, owner, guest, realm, notificationBot } = scene.org;
      const target = await bot(db, member);
      const gone = await user(db, realm, { isActive: false });
      const other = await organization(db);
      for (const id of [0, gone.id, other.member.id, target.id, notificationBot.id, guest.id])
        await refuses(owner, target.id, { bot_owner_id: id, full_name: "Not Changed" });
      await refuses(owner, target.id, { bot_owner_id: (await bot(db, member)).id });
      await refuses(owner, target.id, { bot_owner_id: "somebody" });
    });

    it("restores the role of a bot that became a guest with its owner", async () => {
      const { realm, owner, member } = scene.org;
      const keeper = await user(db, realm);
      const target = await bot(db, keeper, { role: roles.moderator });
      await scene
        .as(owner)
        .succeed(updateUser, { path: { user_id: keeper.id }, params: { role: roles.guest } });
      expect((await reload(db, target)).role).to.equal(roles.guest);
      const { now, events } = await change(owner, target, { bot_owner_id: member.id });
      expect(now.role).to.equal(roles.member);
      expect(events).to.deep.include(personChange(target.id, { role: roles.member }));
    });

    it("leaves no active bot with an owner who is deactivated concurrently", async () => {
      const { realm, owner, admin } = scene.org;
      for (let round = 0; round < 6; round++) {
        const target = await bot(db, owner);
        const taker = await user(db, realm);
        const [given, gone] = await Promise.all([
          patch(owner, target.id, { bot_owner_id: taker.id }),
          scene.as(admin).delete(`/api/v1/users/${taker.id}`),
        ]);
        expect(gone.status).to.equal(200);
        expect(given.status).to.be.oneOf([200, 400]);
        const { isActive, botOwnerId } = await reload(db, target);
        expect(isActive).to.equal(botOwnerId === owner.id);
      }
    });

    it("requires an administrator: a member cannot transfer a bot", async () => {
      const { member, moderator, owner, admin } = scene.org;
      const target = await bot(db, member);
      for (const { id } of [moderator, owner, admin])
        await refuses(member, target.id, { bot_owner_id: id }, "UNAUTHORIZED_PRINCIPAL");
      expect((await change(member, target, { bot_owner_id: member.id })).events).to.deep.equal([]);
    });

    it("refuses the old owner's concurrent change after the transfer", async () => {
      const { member, moderator, admin } = scene.org;
      for (let round = 0; round < 4; round++) {
        const target = await bot(db, member);
        const [given, renamed] = await Promise.all([
          patch(admin, target.id, { bot_owner_id: moderator.id }),
          patch(member, target.id, { full_name: `Kept ${target.id}` }),
        ]);
        expect(given.status).to.equal(200);
        expect(renamed.status).to.be.oneOf([200, 400]);
        await refuses(member, target.id, {});
      }
    });
  });

  describe("short_name", () => {
    it("changes the address that the bot authenticates with", async () => {
      const { member, realm } = scene.org;
      const target = await bot(db, member);
      const { now, events, body } = await change(member, target, { short_name: " Polly " });
      const address = `Polly-bot@${hostOf(scene.gateway.services.site, realm)}`;
      expect(now).to.include({ deliveryEmail: address, email: address });
      expect(events.slice(0, 2)).to.deep.equal([
        personChange(target.id, { delivery_email: address }),
        personChange(target.id, { new_email: address }),
      ]);
      const { apiKey } = target;
      await refused(db, () => scene.as(target).call(getOwnUser), "UNAUTHORIZED");
      const own = await scene.gateway.as({ email: address, apiKey }).succeed(getOwnUser);
      expect(own.avatar_url).to.equal(body.avatar_url);
      expect((await change(member, now, { short_name: "Polly" })).events).to.deep.equal([]);
    });

    it("refuses addresses in use, deactivated accounts' too, and short names without a valid address", async () => {
      const { member } = scene.org;
      const [one, two] = [await bot(db, member), await bot(db, member)];
      await change(member, one, { short_name: "taken" });
      await deactivateUser(db, one);
      for (const short_name of ["TAKEN", "", "  ", "a b", "a@b", "x".repeat(80), "a\u0000"])
        await refuses(member, two.id, { short_name });
    });

    it("gives the address to one of two concurrent requests", async () => {
      const { member } = scene.org;
      const [a, b] = [await bot(db, member), await bot(db, member)];
      const answers = await Promise.all(
        [a, b].map(({ id }) => patch(member, id, { short_name: "both" })),
      );
      expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    });
  });

  describe("default channels", () => {
    it("sends changed properties to the accounts that administer the bot", async () => {
      const { member, owner, admin, moderator, guest } = scene.org;
      const target = await bot(db, member);
      const room = await channel(db, member);
      const wanted = { default_sending_stream: room.name, default_all_public_streams: true };
      const { body, events } = await change(member, target, wanted);
      expect(body).to.include({ ...wanted, default_events_register_stream: null });
      expect(events).to.have.length(1);
      const [{ audience, ...event } = { audience: [] }] = events;
      expect(event).to.deep.equal({
        type: "realm_bot",
        op: "update",
        payload: { bot: { user_id: target.id, ...wanted } },
      });
      expect(audience).to.include.members([owner.id, admin.id, member.id]);
      expect(audience).not.to.include.oneOf([moderator.id, guest.id, target.id]);
      expect((await change(member, target, wanted)).events).to.deep.equal([]);
      const none = await change(admin, target, {
        default_sending_stream: "",
        default_events_register_stream: room.name,
      });
      expect(none.events[0]?.payload["bot"]).to.deep.equal({
        user_id: target.id,
        default_sending_stream: null,
        default_events_register_stream: room.name,
      });
    });

    it("refuses channels that are unknown, archived or hidden from the caller", async () => {
      const { member, owner } = scene.org;
      const target = await bot(db, member);
      const secret = await channel(db, owner, { inviteOnly: true });
      const archived = await channel(db, member, { isArchived: true });
      for (const name of ["nowhere", secret.name, archived.name]) {
        await refuses(member, target.id, { default_sending_stream: name });
        await refuses(member, target.id, { default_events_register_stream: name });
      }
      await refuses(member, target.id, { default_all_public_streams: "yes" });
    });
  });

  it("applies all changes or none", async () => {
    const { member, owner, moderator } = scene.org;
    const target = await bot(db, member);
    const whole = {
      full_name: `Whole Bot ${target.id}`,
      role: 300,
      bot_owner_id: moderator.id,
      short_name: `whole-${target.id}`,
      default_all_public_streams: true,
    };
    const nobody = await bot(db, owner);
    for (const wrong of [
      { full_name: "a*b" },
      { role: 7 },
      { bot_owner_id: nobody.id },
      { short_name: "a b" },
      { default_sending_stream: "nowhere" },
    ])
      await refuses(owner, target.id, { ...whole, ...wrong });
    const { events, now } = await change(owner, target, whole);
    expect(now).to.include({ fullName: whole.full_name, role: 300, botOwnerId: moderator.id });
    expect(new Set(events.map(({ type, op }) => `${type}/${op}`))).to.deep.equal(
      new Set([
        "realm_user/update",
        "user_group/remove_members",
        "user_group/add_members",
        "realm_bot/delete",
        "realm_bot/add",
        "realm_bot/update",
      ]),
    );
  });

  it("runs the same number of statements for any number of bots and owners", async () => {
    const own = await organization(db);
    const asked = async () => {
      const target = await bot(db, own.member);
      return countQueries(db, () =>
        change(own.owner, target, { bot_owner_id: own.moderator.id, role: 300 }),
      );
    };
    const few = await asked();
    for (let i = 0; i < 6; i++) await bot(db, own.moderator);
    const many = await asked();
    expect(many.count).to.equal(few.count);
  });
});
