import { getOwnUser, updateUser, updateUserByEmail } from "@carillon/contract";
import { hostOf } from "@carillon/model";
import {
  announced,
  anonymousGroup,
  bot,
  changeOrganization,
  channel,
  countQueries,
  eventsOf,
  refused,
  type LoggedEvent,
  organization,
  type QueryCount,
  reload,
  roles,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import type { Picture } from "@carillon/model";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

/** Without the wake-ups, which go out after the answer, perhaps. */
const ownStatements = ({ statements }: QueryCount<unknown>) =>
  statements.filter((text) => !text.includes("pg_notify"));

describe("PATCH /users/{user_id}", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const patch = (by: TestAccount, userId: number, params: Params) =>
    gateway.as(by).call(updateUser, { path: { user_id: userId }, params });
  const groupsOf = async (userId: number) => {
    const rows = await db.rows<{ name: string }>(
      `SELECT g.name FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
       WHERE m.user_id = $1 ORDER BY g.id`,
      [userId],
    );
    return rows.map(({ name }) => name);
  };
  const stateOf = async (userId: number) => ({
    row: await db.prisma.user.findUnique({ where: { id: userId } }),
    groups: await groupsOf(userId),
    audit: await db.prisma.auditLog.count({ where: { modifiedUserId: userId } }),
  });

  /** What was told, in short. */
  const person = (userId: number, change: object, audience: number[] | null = null) => ({
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: userId, ...change } },
    audience,
  });
  const membership = (op: string, group: keyof TestOrganization["groups"], userId: number) => ({
    type: "user_group",
    op,
    payload: { group_id: org.groups[group], user_ids: [userId] },
    audience: null,
  });

  const change = async (by: TestAccount, target: TestAccount, params: Params) => {
    const { result, events } = await eventsOf(db, org.realm.id, () => patch(by, target.id, params));
    expect(result.body, JSON.stringify(params)).to.deep.equal({ result: "success", msg: "" });
    return { events, now: await reload(db, target) };
  };
  const refuses = (by: TestAccount, userId: number, params: Params, code?: string) =>
    refused(db, () => patch(by, userId, params), code);

  describe("who may", () => {
    for (const name of ["moderator", "member", "guest", "bot"] as const) {
      it(`refuses a ${name}, about others and themselves, whatever the parameters`, async () => {
        await refuses(org[name], org.member.id, { full_name: "Somebody Else" });
        await refuses(org[name], org[name].id, { full_name: "Somebody Else" });
        await refuses(org[name], org.member.id, { role: "owner" });
        await refuses(org[name], 0, {});
      });
    }

    it("lets administrators, bots among them, change people, bots and deactivated accounts", async () => {
      const machine = await bot(db, org.admin, { role: roles.administrator });
      const targets = [
        await user(db, org.realm),
        await user(db, org.realm, { role: roles.owner }),
        await bot(db, org.member),
        await user(db, org.realm, { isActive: false }),
      ];
      for (const by of [org.owner, org.admin, machine])
        for (const target of targets) {
          const full_name = `${target.id} by ${by.id}`;
          const { now, events } = await change(by, target, { full_name });
          expect(now.fullName).to.equal(full_name);
          expect(announced(events)).to.deep.equal([person(target.id, { full_name })]);
        }
    });

    it("leaves a bot that may create users to owners", async () => {
      const powerful = await bot(db, org.member, { canCreateUsers: true });
      await refuses(org.admin, powerful.id, { full_name: "Tamed" }, "UNAUTHORIZED_PRINCIPAL");
      await change(org.owner, powerful, { full_name: "Tamed" });
    });

    it("knows no account of another organization, no system bot, and no id beyond the column", async () => {
      for (const id of [other.member.id, org.notificationBot.id, 0, 2_147_483_647])
        await refuses(org.owner, id, { full_name: "Nobody" });
      const path = "/api/v1/users/99999999999999999999";
      await refused(db, () => gateway.as(org.owner).patch(path, { full_name: "Nobody" }));
      expect((await reload(db, other.member)).fullName).to.equal(other.member.fullName);
    });

    it("asks for credentials", async () => {
      const path = { user_id: org.member.id };
      await refused(db, () => gateway.anonymous.call(updateUser, { path }), "UNAUTHORIZED");
    });
  });

  describe("by e-mail address", () => {
    it("is the same operation", async () => {
      const target = await user(db, org.realm);
      const { body } = await gateway.as(org.admin).call(updateUserByEmail, {
        path: { email: target.deliveryEmail.toUpperCase() },
        params: { full_name: "Found by Address", user_id: 3 },
      });
      expect(body).to.deep.equal({
        result: "success",
        msg: "",
        ignored_parameters_unsupported: ["user_id"],
      });
      expect((await reload(db, target)).fullName).to.equal("Found by Address");
    });

    it("knows the made-up address of who hides the real one, which it does not know", async () => {
      const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
      const by = (email: string) =>
        gateway.as(org.owner).call(updateUserByEmail, { path: { email }, params: { role: 300 } });
      await refused(db, () => by(hidden.deliveryEmail));
      await refused(db, () => by("nobody@carillon.test"));
      expect((await reload(db, hidden)).role).to.equal(400);
      expect((await by(hidden.email)).body.result).to.equal("success");
      expect((await reload(db, hidden)).role).to.equal(300);
    });

    it("is closed to members", async () => {
      const asked = { path: { email: org.member.email }, params: { full_name: "Me Myself" } };
      await refused(db, () => gateway.as(org.member).call(updateUserByEmail, asked));
    });
  });

  describe("role", () => {
    for (const value of ["0", "150", "700", "400.0", '"400"', "null", "member", "", "true"])
      it(`is not ${JSON.stringify(value)}`, () =>
        refuses(org.owner, org.member.id, { role: value, full_name: "Not Changed" }));

    // From and to each role: who may, and whether anybody may.
    const all = [100, 200, 300, 400, 600];
    for (const from of all)
      for (const to of all) {
        if (from === to) continue;
        it(`${from} becomes ${to} only as the rules say`, async () => {
          const target = await user(db, org.realm, { role: from });
          const forbidden = from === 600 && to <= 200;
          if (from === 100 || to === 100)
            await refuses(org.admin, target.id, { role: to }, "UNAUTHORIZED_PRINCIPAL");
          else if (forbidden) await refuses(org.admin, target.id, { role: to });
          else {
            const { now } = await change(org.admin, target, { role: to });
            expect(now.role).to.equal(to);
            return;
          }
          if (forbidden) await refuses(org.owner, target.id, { role: to });
          else expect((await change(org.owner, target, { role: to })).now.role).to.equal(to);
        });
      }

    it("is told to everybody, then the groups, old before new, then the full members'", async () => {
      const target = await user(db, org.realm);
      const up = await change(org.admin, target, { role: 300 });
      expect(announced(up.events)).to.deep.equal([
        person(target.id, { role: 300 }),
        membership("remove_members", "role:members", target.id),
        membership("add_members", "role:moderators", target.id),
        membership("remove_members", "role:fullmembers", target.id),
      ]);
      expect(await groupsOf(target.id)).to.deep.equal(["role:moderators"]);
      const down = await change(org.admin, target, { role: 400 });
      expect(announced(down.events)).to.deep.equal([
        person(target.id, { role: 400 }),
        membership("remove_members", "role:moderators", target.id),
        membership("add_members", "role:members", target.id),
        membership("add_members", "role:fullmembers", target.id),
      ]);
      expect(await groupsOf(target.id)).to.deep.equal(["role:fullmembers", "role:members"]);
      const audit = await db.prisma.auditLog.findMany({
        where: { modifiedUserId: target.id, eventType: "user_role_changed" },
        orderBy: { id: "asc" },
      });
      expect(audit.map(({ actingUserId, extraData }) => [actingUserId, extraData])).to.deep.equal([
        [org.admin.id, { old: 400, new: 300 }],
        [org.admin.id, { old: 300, new: 400 }],
      ]);
    });

    it("makes no full member of who has not waited", async () => {
      const young = await organization(db, { row: { waitingPeriodThreshold: 3 } });
      const target = await user(db, young.realm, { role: roles.moderator });
      await gateway
        .as(young.admin)
        .succeed(updateUser, { path: { user_id: target.id }, params: { role: 400 } });
      expect(await groupsOf(target.id)).to.deep.equal(["role:members"]);
      await db.rows("UPDATE users SET date_joined = now() - interval '73 hours' WHERE id = $1", [
        target.id,
      ]);
      for (const role of [600, 400])
        await gateway
          .as(young.admin)
          .succeed(updateUser, { path: { user_id: target.id }, params: { role } });
      expect(await groupsOf(target.id)).to.deep.equal(["role:fullmembers", "role:members"]);
    });

    it("of a deactivated account changes without a word about groups that do not list it", async () => {
      const gone = await user(db, org.realm, { isActive: false });
      const { events } = await change(org.admin, gone, { role: 300 });
      expect(announced(events)).to.deep.equal([person(gone.id, { role: 300 })]);
      expect(await groupsOf(gone.id)).to.deep.equal(["role:moderators"]);
    });

    it("that the account has changes nothing", async () => {
      for (const target of [org.owner, org.member, org.guest]) {
        const before = await stateOf(target.id);
        const { events } = await change(org.admin, target, { role: target.role });
        expect(events).to.deep.equal([]);
        expect(await stateOf(target.id)).to.deep.equal(before);
      }
    });

    it("of owner stays with the only active human owner", async () => {
      const own = await organization(db);
      await user(db, own.realm, { role: roles.owner, isActive: false });
      await bot(db, own.owner, { role: roles.owner });
      await refuses(own.owner, own.owner.id, { role: 200 });
      await refuses(own.admin, own.owner.id, { role: 200 }, "UNAUTHORIZED_PRINCIPAL");
      const second = await user(db, own.realm, { role: roles.owner });
      await gateway
        .as(own.owner)
        .succeed(updateUser, { path: { user_id: own.owner.id }, params: { role: 600 } });
      await refuses(second, second.id, { role: 400 });
    });

    it("can be taken from owner bots and deactivated owners, the only owner or not", async () => {
      const own = await organization(db);
      const targets = [
        await user(db, own.realm, { role: roles.owner, isActive: false }),
        await bot(db, own.owner, { role: roles.owner }),
      ];
      for (const target of targets) {
        await gateway
          .as(own.owner)
          .succeed(updateUser, { path: { user_id: target.id }, params: { role: 400 } });
        expect((await reload(db, target)).role).to.equal(400);
      }
    });

    it("leaves one of two owners who take it from each other at once", async () => {
      for (let round = 0; round < 5; round++) {
        const own = await organization(db);
        const second = await user(db, own.realm, { role: roles.owner });
        const answers = await Promise.all([
          patch(own.owner, second.id, { role: 400 }),
          patch(second, own.owner.id, { role: 400 }),
        ]);
        expect(answers.map(({ body }) => body.result)).to.have.members(["success", "error"]);
        const owners = await db.prisma.user.count({
          where: { realmId: own.realm.id, role: 100, isActive: true },
        });
        expect(owners).to.equal(1);
      }
    });

    it("of owner is no more to give for an owner who has just lost it", async () => {
      for (let round = 0; round < 5; round++) {
        const own = await organization(db);
        const second = await user(db, own.realm, { role: roles.owner });
        await user(db, own.realm, { role: roles.owner });
        const answers = await Promise.all([
          patch(own.owner, second.id, { role: 400 }),
          patch(second, own.owner.id, { role: 400 }),
        ]);
        expect(answers.map(({ body }) => body.result)).to.have.members(["success", "error"]);
      }
    });

    it("lets an administrator give up the role", async () => {
      const by = await user(db, org.realm, { role: roles.administrator });
      await change(by, by, { role: 400 });
      await refuses(by, by.id, { role: 200 });
    });
  });

  describe("role and channels", () => {
    let own: TestOrganization;
    before(async () => {
      own = await organization(db);
    });
    /** What is told of it, but for default channels and bots. */
    const changeRole = async (target: TestAccount, role: number) => {
      const { events: all } = await eventsOf(db, own.realm.id, () =>
        gateway
          .as(own.owner)
          .succeed(updateUser, { path: { user_id: target.id }, params: { role } }),
      );
      const events = all.filter(({ type }) => !["default_streams", "realm_bot"].includes(type));
      const first = events.findIndex(({ type }) => type === "stream" || type === "subscription");
      const tail = first < 0 ? [] : events.slice(first);
      expect(
        events.slice(0, first < 0 ? undefined : first).map(({ type }) => type),
      ).to.have.members([
        "realm_user",
        ...events.filter(({ type }) => type === "user_group").map(({ type }) => type),
      ]);
      return tail;
    };

    it("tell the account which channels it sees by its new role, with their subscribers, and which no longer", async () => {
      const target = await user(db, own.realm, { role: roles.guest });
      const open = await channel(db, own.owner, { subscribers: [own.member, own.admin] });
      const quiet = await channel(db, own.owner);
      const mine = await channel(db, own.owner, { subscribers: [target] });
      const moderated = await channel(db, own.realm, {
        inviteOnly: true,
        groups: { canSubscribeGroupId: own.groups["role:moderators"] },
      });
      const secret = await channel(db, own.realm, { inviteOnly: true, subscribers: [own.member] });
      const archived = await channel(db, own.realm, { isArchived: true });

      const member = await changeRole(target, 400);
      expect(member.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
        "stream/create",
        "subscription/peer_add",
      ]);
      const idsOf = (event: LoggedEvent | undefined) =>
        ((event?.payload["streams"] ?? []) as Array<{ stream_id: number }>).map(
          ({ stream_id }) => stream_id,
        );
      expect(idsOf(member[0])).to.deep.equal([open.id, quiet.id, archived.id]);
      expect(member[1]?.payload).to.deep.equal({
        stream_ids: [open.id],
        user_ids: [own.admin.id, own.member.id].sort((a, b) => a - b),
      });
      for (const { audience } of member) expect(audience).to.deep.equal([target.id]);

      const moderator = await changeRole(target, 300);
      expect(moderator.map(({ type, op }) => `${type}/${op}`)).to.deep.equal(["stream/create"]);
      expect(idsOf(moderator[0])).to.deep.equal([moderated.id]);

      const administrator = await changeRole(target, 200);
      expect(idsOf(administrator[0])).to.deep.equal([secret.id]);
      expect(administrator[1]?.payload).to.deep.equal({
        stream_ids: [secret.id],
        user_ids: [own.member.id],
      });

      const guest = await changeRole(target, 600);
      expect(guest).to.have.length(1);
      expect(guest[0]).to.deep.include({ type: "stream", op: "delete", audience: [target.id] });
      const gone = [open.id, quiet.id, moderated.id, secret.id, archived.id];
      expect(guest[0]?.payload).to.deep.equal({
        stream_ids: gone,
        streams: gone.map((stream_id) => ({ stream_id })),
        // For the log alone: clients that do not know archived channels are not told of them.
        archived: [archived.id],
      });
      expect(gone).not.to.include(mine.id);
    });

    it("ask the database as often for many channels and groups as for few", async () => {
      const target = await user(db, own.realm, { role: roles.guest });
      const patchRole = (role: number) =>
        countQueries(db, () =>
          gateway
            .as(own.owner)
            .succeed(updateUser, { path: { user_id: target.id }, params: { role } }),
        );
      const few = await patchRole(300);
      await patchRole(600);
      for (let i = 0; i < 8; i++) {
        const group = await anonymousGroup(db, own.realm.id, [target.id]);
        await channel(db, own.owner, {
          inviteOnly: i % 2 === 0,
          subscribers: [own.member],
          groups: { canSubscribeGroupId: group },
        });
      }
      const many = await patchRole(300);
      expect(ownStatements(many).length).to.be.at.most(ownStatements(few).length);
    });
  });

  describe("full_name", () => {
    it("is stored trimmed and told, once", async () => {
      const target = await user(db, org.realm);
      const { now, events } = await change(org.admin, target, { full_name: "  Nina Née  " });
      expect(now.fullName).to.equal("Nina Née");
      expect(announced(events)).to.deep.equal([person(target.id, { full_name: "Nina Née" })]);
      for (const full_name of ["Nina Née", "  Nina Née ", "", "   "])
        expect((await change(org.admin, target, { full_name })).events).to.deep.equal([]);
    });

    for (const [title, name] of [
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
    ] as const)
      it(`is not one ${title}`, () => refuses(org.owner, org.member.id, { full_name: name }));

    it("may be another's, unless names must differ, from deactivated accounts' too", async () => {
      const own = await organization(db);
      const target = await user(db, own.realm);
      const rename = (full_name: string) => patch(own.admin, target.id, { full_name });
      expect((await rename(own.member.fullName)).body.result).to.equal("success");
      await rename("Free Again");
      await changeOrganization(db, own.realm, {
        requireUniqueNames: true,
        nameChangesDisabled: true,
      });
      await user(db, own.realm, { fullName: "Zoë Gone", isActive: false });
      await refuses(own.admin, target.id, { full_name: own.member.fullName.toUpperCase() });
      await refuses(own.admin, target.id, { full_name: "zoe\u0308 GONE" });
      expect((await rename("FREE again")).body.result).to.equal("success");
      expect((await reload(db, target)).fullName).to.equal("FREE again");
    });
  });

  describe("profile_data", () => {
    it("may be empty, and names no field that exists, also to remove its value", async () => {
      await change(org.admin, org.member, { profile_data: [] });
      for (const value of ["text", null, "", [], [3]])
        await refuses(org.admin, org.member.id, {
          full_name: "Not Changed",
          profile_data: [{ id: 1, value }],
        });
    });

    it("is not for bots", () =>
      refuses(org.admin, org.bot.id, { profile_data: [{ id: 1, value: null }] }));

    for (const value of [{}, [1], [{ id: 1 }], [{ value: "" }], [{ id: "1", value: "" }], "x"])
      it(`is not ${JSON.stringify(value)}`, () =>
        refuses(org.owner, org.member.id, { profile_data: value }));
    it("has no numbers as values", () =>
      refuses(org.owner, org.member.id, { profile_data: [{ id: 1, value: 5 }] }));
  });

  describe("new_email", () => {
    it("is for owners whose account may change addresses", async () => {
      const plain = await user(db, org.realm, { role: roles.owner });
      const flagged = await user(db, org.realm, {
        role: roles.administrator,
        canChangeUserEmails: true,
      });
      for (const by of [plain, flagged, org.admin]) {
        await refuses(by, org.member.id, { new_email: "fresh@carillon.test" });
        await refuses(by, org.member.id, { new_email: org.member.deliveryEmail });
      }
    });

    it("is in effect at once, and told to everybody who sees it", async () => {
      const target = await user(db, org.realm);
      const email = "Brand.New@carillon.test";
      const { now, events } = await change(org.owner, target, { new_email: ` ${email} ` });
      expect(now).to.include({ deliveryEmail: email, email });
      expect(announced(events).slice(0, 2)).to.deep.equal([
        person(target.id, { delivery_email: email }),
        person(target.id, { new_email: email }),
      ]);
      expect(events).to.have.length(3);
      expect(events[2]?.payload["person"]).to.have.all.keys(
        "user_id",
        "avatar_source",
        "avatar_version",
      );
      const picture = events[2]?.payload["picture"] as Picture;
      const own = (as: string) => gateway.as({ email: as, apiKey: target.apiKey }).call(getOwnUser);
      await refused(db, () => own(target.deliveryEmail), "UNAUTHORIZED");
      const { body } = await own(email.toLowerCase());
      expect(body.delivery_email).to.equal(email);
      expect(body.avatar_url).to.include(`/${picture.hash}?`);
      expect((await change(org.owner, now, { new_email: email })).events).to.deep.equal([]);
      const recased = await change(org.owner, now, { new_email: email.toLowerCase() });
      expect(recased.now.deliveryEmail).to.equal(email.toLowerCase());
    });

    it("that is hidden is told to those who see it, and to its owner", async () => {
      const target = await user(db, org.realm, { settings: { email_address_visibility: 3 } });
      const { now, events } = await change(org.owner, target, { new_email: "still@carillon.test" });
      expect(now.email).to.equal(target.email);
      expect(now.deliveryEmail).to.equal("still@carillon.test");
      const [event, picture] = events;
      expect(event?.payload).to.deep.equal({
        person: { user_id: target.id, delivery_email: "still@carillon.test" },
      });
      expect(event?.audience).to.include.members([org.owner.id, org.admin.id, target.id]);
      expect(event?.audience).not.to.include.oneOf([org.moderator.id, org.member.id, org.guest.id]);
      expect(picture?.payload).to.include.keys("picture");
      expect(picture?.audience).to.deep.equal(event?.audience);
      expect(events).to.have.length(2);
    });

    for (const email of ["", "nora", "nora@", "no ra@carillon.test", "nora\u0000@carillon.test"])
      it(`is not ${JSON.stringify(email)}`, () =>
        refuses(org.owner, org.member.id, { new_email: email }));

    it("is no other account's, whatever its case and state, nor one that the server makes up", async () => {
      const gone = await user(db, org.realm, { isActive: false });
      const host = hostOf(gateway.services.site, org.realm);
      for (const email of [
        org.guest.deliveryEmail.toUpperCase(),
        gone.deliveryEmail,
        org.notificationBot.deliveryEmail,
        `user77@${host}`,
      ])
        await refuses(org.owner, org.member.id, { new_email: email });
      const target = await user(db, org.realm);
      await change(org.owner, target, { new_email: other.guest.deliveryEmail });
    });

    it("goes to one of two accounts that are to have it at once", async () => {
      const [a, b] = [await user(db, org.realm), await user(db, org.realm)];
      const answers = await Promise.all(
        [a, b].map(({ id }) => patch(org.owner, id, { new_email: "raced@carillon.test" })),
      );
      expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    });
  });

  it("changes everything or nothing, in the order of the rules", async () => {
    const target = await user(db, org.realm);
    const whole = { role: 300, full_name: "Whole Change", new_email: "whole@carillon.test" };
    await refuses(org.owner, target.id, { ...whole, new_email: org.guest.deliveryEmail });
    await refuses(org.owner, target.id, { ...whole, full_name: "a*b" });
    await refuses(org.owner, target.id, { ...whole, profile_data: [{ id: 9, value: null }] });
    await refuses(org.admin, target.id, { new_email: "x", role: 100 });
    await refuses(org.admin, target.id, { full_name: "a*b", role: 100 }, "UNAUTHORIZED_PRINCIPAL");
    const { events, now } = await change(org.owner, target, whole);
    expect(now).to.include({ role: 300, fullName: "Whole Change", deliveryEmail: whole.new_email });
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_user/update",
      "user_group/remove_members",
      "user_group/add_members",
      "user_group/remove_members",
      "realm_user/update",
      "realm_user/update",
      "realm_user/update",
      "realm_user/update",
    ]);
  });

  it("reports parameters that it does not know", async () => {
    const { body } = await patch(org.admin, org.member.id, { user_id: 3, is_active: false });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["is_active", "user_id"]);
  });
});
