import {
  createBot,
  deactivateUser,
  getOwnUser,
  getUsers,
  listSubscribers,
  register,
} from "@carillon/contract";
import {
  announced,
  bot,
  channel,
  countQueries,
  eventsOf,
  organization,
  refused,
  type QueryCount,
  reload,
  roles,
  scheduledMessage,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

/** Without wake-up notifications, which may be sent after the response. */
const ownStatements = ({ statements }: QueryCount<unknown>) =>
  statements.filter((text) => !text.includes("pg_notify"));

describe("DELETE /users/{user_id}", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const remove = (by: TestAccount, userId: number, params: Params = {}) =>
    gateway.as(by).call(deactivateUser, { path: { user_id: userId }, params });
  const refuses = async (by: TestAccount, userId: number, code?: string, params: Params = {}) =>
    (await refused(db, () => remove(by, userId, params), code)).msg;
  const succeed = async (by: TestAccount, target: TestAccount, params: Params = {}) => {
    const { result, events } = await eventsOf(db, by.realmId, () => remove(by, target.id, params));
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    return events;
  };
  const gone = (userId: number) => ({
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: userId, is_active: false } },
    audience: null,
  });
  const status = async (account: TestAccount) =>
    (await gateway.as(account).call(getOwnUser)).status;

  describe("permissions", () => {
    for (const name of ["moderator", "member", "guest", "bot"] as const) {
      it(`refuses a ${name}, for others and themselves`, async () => {
        await refuses(org[name], org.member.id);
        await refuses(org[name], org[name].id);
        await refuses(org[name], org.owner.id);
        await refuses(org[name], 0);
      });
    }

    it("lets administrators deactivate all but owners, and owners all accounts", async () => {
      for (const role of [200, 300, 400, 600]) {
        await succeed(org.admin, await user(db, org.realm, { role }));
        await succeed(org.owner, await user(db, org.realm, { role }));
      }
      const second = await user(db, org.realm, { role: roles.owner });
      await refuses(org.admin, second.id, "UNAUTHORIZED_PRINCIPAL");
      await succeed(org.owner, second);
      await refuses(org.admin, org.owner.id, "UNAUTHORIZED_PRINCIPAL");
    });

    it("lets administrators deactivate themselves, and administrator bots others", async () => {
      const admin = await user(db, org.realm, { role: roles.administrator });
      await succeed(admin, admin);
      expect(await status(admin)).to.equal(401);
      const machine = await bot(db, org.owner, { role: roles.administrator });
      await succeed(machine, await user(db, org.realm));
    });

    it("lets a bot deactivate its owner, and itself with them", async () => {
      const admin = await user(db, org.realm, { role: roles.administrator });
      const machine = await bot(db, admin, { role: roles.administrator });
      const events = await succeed(machine, admin);
      expect(announced(events)).to.deep.equal([gone(machine.id), gone(admin.id)]);
      expect([await status(machine), await status(admin)]).to.deep.equal([401, 401]);
    });

    it("refuses bots, unknown and deactivated accounts, and those of other organizations", async () => {
      const absent = await user(db, org.realm, { isActive: false });
      for (const id of [org.bot.id, org.notificationBot.id, absent.id, other.member.id, 0])
        await refuses(org.owner, id);
      expect(await status(other.member)).to.equal(200);
    });

    it("refuses the only active human owner", async () => {
      const own = await organization(db);
      const second = await user(db, own.realm, { role: roles.owner, isActive: false });
      await bot(db, own.owner, { role: roles.owner });
      await refuses(own.owner, own.owner.id);
      await db.rows("UPDATE users SET is_active = true WHERE id = $1", [second.id]);
      await succeed(own.owner, own.owner);
      await refuses(second, second.id);
    });

    it("keeps one of two owners who deactivate each other at once", async () => {
      for (let round = 0; round < 5; round++) {
        const own = await organization(db);
        const second = await user(db, own.realm, { role: roles.owner });
        const answers = await Promise.all([
          remove(own.owner, second.id),
          remove(second, own.owner.id),
        ]);
        expect(answers.filter(({ body }) => body.result === "success")).to.have.length(1);
        for (const { status: code } of answers) expect(code).to.be.below(500);
        const owners = await db.prisma.user.count({
          where: { realmId: own.realm.id, role: 100, isActive: true, isBot: false },
        });
        expect(owners).to.equal(1);
      }
    });

    it("handles one of two concurrent requests, with one event", async () => {
      const target = await user(db, org.realm);
      const { result, events } = await eventsOf(db, org.realm.id, () =>
        Promise.all([remove(org.owner, target.id), remove(org.admin, target.id)]),
      );
      expect(result.map(({ status: code }) => code)).to.have.members([200, 400]);
      expect(announced(events)).to.deep.equal([gone(target.id)]);
    });
  });

  describe("parameters", () => {
    for (const actions of [
      "yes",
      "[]",
      "null",
      { delete_profile: "true" },
      { delete_direct_messages: 1 },
      { delete_public_channel_messages: null },
    ])
      it(`refuses actions ${JSON.stringify(actions)}`, () =>
        refuses(org.owner, org.member.id, "BAD_REQUEST", { actions }));

    it("accepts actions without deletions, and unknown ones", async () => {
      for (const actions of [{}, { delete_profile: false, delete_everything: true }])
        await succeed(org.owner, await user(db, org.realm), { actions });
    });

    it("are reported if unsupported", async () => {
      const { body } = await remove(org.owner, (await user(db, org.realm)).id, { user_id: 1 });
      expect(body.ignored_parameters_unsupported).to.deep.equal(["user_id"]);
    });
  });

  describe("the account", () => {
    it("is refused at once with its bots, and keeps its data", async () => {
      const target = await user(db, org.realm);
      const bots = [await bot(db, target), await bot(db, target)];
      const dormant = await bot(db, target, { isActive: false });
      const room = await channel(db, org.owner, { subscribers: [target, org.member] });
      const group = await userGroup(db, org.realm, { members: [target, org.member] });
      await scheduledMessage(db, target, room);
      for (const account of [target, ...bots]) expect(await status(account)).to.equal(200);
      const events = await succeed(org.admin, target);
      for (const account of [target, ...bots, dormant]) expect(await status(account)).to.equal(401);
      expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
        "realm_user/update",
        "realm_user/update",
        "subscription/peer_remove",
        "realm_user/update",
      ]);
      const now = await db.prisma.user.findUniqueOrThrow({
        where: { id: target.id },
        include: { subscriptions: true, groupMemberships: true, scheduledMessages: true },
      });
      expect(now).to.include({ isActive: false, fullName: target.fullName });
      expect(now.deactivatedAt).to.be.instanceOf(Date);
      expect(now.subscriptions).to.have.length(1);
      expect(now.subscriptions[0]).to.include({ active: true, isUserActive: false });
      expect(now.groupMemberships.map(({ groupId }) => groupId)).to.include(group.id);
      expect(now.scheduledMessages[0]).to.include({ failed: false, delivered: false });
      const { subscriberCount } = await db.prisma.channel.findUniqueOrThrow({
        where: { id: room.id },
      });
      expect(subscriberCount).to.equal(1);
      const { subscribers } = await gateway
        .as(org.admin)
        .succeed(listSubscribers, { path: { stream_id: room.id } });
      expect(subscribers).to.deep.equal([org.member.id]);
      const { members } = await gateway
        .as(org.member)
        .succeed(getUsers, { params: { user_ids: [target.id, bots[0]?.id] } });
      expect(members.map(({ is_active }) => is_active)).to.deep.equal([false, false]);
    });

    it("loses its event queues, and others keep theirs", async () => {
      const target = await user(db, org.realm);
      const machine = await bot(db, target);
      for (const account of [target, target, machine, org.member])
        await gateway.as(account).succeed(register, { params: { fetch_event_types: [] } });
      await succeed(org.admin, target);
      const queues = await db.prisma.eventQueue.findMany({
        where: { userId: { in: [target.id, machine.id, org.member.id] } },
      });
      expect(queues.map(({ userId }) => userId)).to.deep.equal([org.member.id]);
    });

    it("is announced after its bots, each after peer_remove events to accounts that see the subscribers", async () => {
      const target = await user(db, org.realm);
      const machine = await bot(db, target);
      const open = await channel(db, org.owner, { subscribers: [target, machine, org.guest] });
      const archived = await channel(db, org.owner, { subscribers: [target], isArchived: true });
      const secret = await channel(db, org.realm, {
        inviteOnly: true,
        subscribers: [target, org.moderator],
      });
      const left = await channel(db, org.owner, { subscribers: [target] });
      await db.rows("UPDATE subscriptions SET active = false WHERE channel_id = $1", [left.id]);
      const events = await succeed(org.admin, target);
      const removed = (userId: number, ...streams: number[]) => ({
        type: "subscription",
        op: "peer_remove",
        payload: { stream_ids: streams, user_ids: [userId] },
      });
      expect(events.map(({ type, op, payload }) => ({ type, op, payload }))).to.deep.equal([
        removed(machine.id, open.id),
        { type: "realm_user", op: "update", payload: gone(machine.id).payload },
        removed(target.id, open.id),
        {
          ...removed(target.id, archived.id),
          // Written to the log only: clients that do not know archived channels get no event.
          payload: { ...removed(target.id, archived.id).payload, archived: [archived.id] },
        },
        removed(target.id, secret.id),
        { type: "realm_user", op: "update", payload: gone(target.id).payload },
      ]);
      const [byBot, , byUser, ofArchived, ofSecret] = events.map(({ audience }) => audience ?? []);
      expect(byBot).to.include.members([target.id, org.guest.id, org.member.id]);
      expect(byUser).to.include.members([org.owner.id, org.guest.id, org.member.id]);
      expect(ofArchived).to.include(org.member.id).and.not.include(org.guest.id);
      expect(ofSecret).to.include.members([org.owner.id, org.admin.id, org.moderator.id]);
      expect(ofSecret).not.to.include.oneOf([org.member.id, org.guest.id]);
      for (const audience of [byUser, ofArchived, ofSecret])
        expect(audience).not.to.include.oneOf([target.id, machine.id]);
    });

    it("keeps bots of other owners active", async () => {
      const target = await user(db, org.realm);
      const machine = await bot(db, target, { row: { botOwnerId: org.member.id } });
      await succeed(org.admin, target);
      expect((await reload(db, machine)).isActive).to.equal(true);
    });

    it("runs the same number of statements for any number of subscriptions and groups", async () => {
      const asked = async (n: number) => {
        const target = await user(db, org.realm);
        for (let i = 0; i < n; i++) {
          await channel(db, org.owner, { subscribers: [target] });
          await userGroup(db, org.realm, { members: [target] });
        }
        return countQueries(db, () => succeed(org.admin, target));
      };
      const few = await asked(1);
      const many = await asked(7);
      expect(ownStatements(many)).to.deep.equal(ownStatements(few));
    });
  });

  it("leaves no active bot that is created meanwhile", async () => {
    for (let round = 0; round < 6; round++) {
      const target = await user(db, org.realm);
      const make = (i: number) =>
        gateway.as(target).call(createBot, {
          params: { full_name: `Racer ${target.id} ${i}`, short_name: `racer-${target.id}-${i}` },
        });
      const [removed, ...made] = await Promise.all([
        remove(org.admin, target.id),
        ...[1, 2, 3, 4].map(make),
      ]);
      expect(removed?.status).to.equal(200);
      for (const { status: code } of made) expect(code).to.be.oneOf([200, 401]);
      const alive = await db.prisma.user.count({
        where: { botOwnerId: target.id, isActive: true },
      });
      expect(alive).to.equal(0);
    }
  });

  it("continues after an interruption: deactivated bots are skipped", async () => {
    const target = await user(db, org.realm);
    const [first, second] = [await bot(db, target), await bot(db, target)];
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [first.id]);
    const events = await succeed(org.admin, target);
    expect(announced(events)).to.deep.equal([gone(second.id), gone(target.id)]);
  });
});
