import {
  deactivateBot,
  deactivateUser,
  getOwnUser,
  listSubscribers,
  reactivateUser,
  register,
} from "@carillon/contract";
import {
  announced,
  anonymousGroup,
  bot,
  changeOrganization,
  channel,
  countQueries,
  deactivateUser as deactivateRow,
  eventsOf,
  organization,
  refused,
  refusedWith,
  type QueryCount,
  reload,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

/** Without wake-up notifications, which may be sent after the response. */
const ownStatements = ({ statements }: QueryCount<unknown>) =>
  statements.filter((text) => !text.includes("pg_notify"));

describe("POST /users/{user_id}/reactivate", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const bring = (by: TestAccount, userId: number) =>
    gateway.as(by).call(reactivateUser, { path: { user_id: userId } });
  const remove = (target: TestAccount) =>
    target.isBot
      ? gateway.as(org.owner).succeed(deactivateBot, { path: { bot_id: target.id } })
      : gateway.as(org.owner).succeed(deactivateUser, { path: { user_id: target.id } });
  const succeed = async (by: TestAccount, target: TestAccount) => {
    const { result, events } = await eventsOf(db, org.realm.id, () => bring(by, target.id));
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    return events;
  };
  const refuses = async (by: TestAccount, target: TestAccount, code?: string) => {
    await refused(db, () => bring(by, target.id), code);
    expect((await reload(db, target)).isActive).to.equal(false);
  };
  const person = (userId: number, change: object) => ({
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: userId, ...change } },
    audience: null,
  });
  const joined = (groupId: number, userId: number, more = {}) => ({
    type: "user_group",
    op: "add_members",
    payload: { group_id: groupId, user_ids: [userId], ...more },
    audience: null,
  });

  for (const name of ["moderator", "member", "guest", "bot"] as const)
    it(`refuses a ${name}`, async () => {
      await refuses(org[name], await user(db, org.realm, { isActive: false }));
    });

  it("refuses accounts of other organizations and system bots as unknown", async () => {
    await deactivateRow(db, other.guest);
    await refuses(org.owner, other.guest);
    for (const id of [org.notificationBot.id, 0]) await refused(db, () => bring(org.owner, id));
  });

  it("lets administrators reactivate owners, too", async () => {
    const owner = await user(db, org.realm, { role: 100, isActive: false });
    await succeed(org.admin, owner);
    expect(await reload(db, owner)).to.include({ isActive: true, role: 100 });
    await remove(owner);
  });

  it("restores the key, subscriptions and groups, with events to all accounts", async () => {
    const target = await user(db, org.realm);
    const room = await channel(db, org.owner, { subscribers: [target, org.member] });
    const left = await channel(db, org.owner, { subscribers: [target] });
    await db.rows("UPDATE subscriptions SET active = false WHERE channel_id = $1", [left.id]);
    await db.rows("UPDATE channels SET subscriber_count = 0 WHERE id = $1", [left.id]);
    const group = await userGroup(db, org.realm, { members: [target] });
    const retired = await userGroup(db, org.realm, { members: [target], deactivated: true });
    const machine = await bot(db, target);
    await remove(target);
    const events = await succeed(org.admin, target);
    expect(announced(events)).to.deep.equal([
      person(target.id, { is_active: true }),
      {
        type: "subscription",
        op: "peer_add",
        payload: { stream_ids: [room.id], user_ids: [target.id] },
        audience: events[1]?.audience,
      },
      joined(org.groups["role:fullmembers"], target.id),
      joined(org.groups["role:members"], target.id),
      joined(group.id, target.id),
      joined(retired.id, target.id, { deactivated: true }),
    ]);
    expect(events[1]?.audience)
      .to.include(org.member.id)
      .and.not.include.oneOf([target.id, org.guest.id]);
    expect((await gateway.as(target).call(getOwnUser)).status).to.equal(200);
    await refused(db, () => gateway.as(machine).call(getOwnUser), "UNAUTHORIZED");
    const { subscribers } = await gateway
      .as(target)
      .succeed(listSubscribers, { path: { stream_id: room.id } });
    expect(subscribers).to.deep.equal([org.member.id, target.id].sort((a, b) => a - b));
    const counts = await db.prisma.channel.findMany({
      where: { id: { in: [room.id, left.id] } },
      orderBy: { id: "asc" },
    });
    expect(counts.map(({ subscriberCount }) => subscriberCount)).to.deep.equal([2, 0]);
    const audit = await db.prisma.auditLog.findMany({ where: { modifiedUserId: target.id } });
    expect(audit.map(({ eventType }) => eventType)).to.include("user_reactivated");
  });

  it("sends the settings that list the account individually and were shown without it", async () => {
    const target = await user(db, org.realm);
    const set = () => anonymousGroup(db, org.realm.id, [target.id, org.member.id]);
    const group = await userGroup(db, org.realm);
    await db.rows("UPDATE named_user_group SET can_join_group_id = $2 WHERE id = $1", [
      group.id,
      await set(),
    ]);
    const secret = await channel(db, org.realm, {
      inviteOnly: true,
      groups: { canSubscribeGroupId: await set() },
    });
    await changeOrganization(db, org.realm, { canInviteUsersGroupId: await set() });
    await remove(target);
    const events = await succeed(org.owner, target);
    const value = {
      direct_members: [org.member.id, target.id].sort((a, b) => a - b),
      direct_subgroups: [],
    };
    const [ofGroup, ofChannel, ofRealm, ...none] = announced(events).slice(3);
    expect(none).to.deep.equal([]);
    expect(ofGroup).to.deep.equal({
      type: "user_group",
      op: "update",
      payload: { group_id: group.id, data: { can_join_group: value } },
      audience: null,
    });
    expect(ofChannel).to.deep.include({
      type: "stream",
      op: "update",
      payload: {
        stream_id: secret.id,
        name: secret.name,
        property: "can_subscribe_group",
        value,
      },
    });
    expect(ofChannel?.audience).to.include.members([org.owner.id, target.id, org.member.id]);
    expect(ofChannel?.audience).not.to.include.oneOf([org.moderator.id, org.guest.id]);
    expect(ofRealm).to.deep.equal({
      type: "realm",
      op: "update_dict",
      payload: { property: "default", data: { can_invite_users_group: value } },
      audience: null,
    });
  });

  it("does nothing for an active account", async () => {
    expect(await succeed(org.admin, org.member)).to.deep.equal([]);
  });

  it("lets the account log in again, without its old event queue", async () => {
    const target = await user(db, org.realm);
    const { queue_id } = await gateway
      .as(target)
      .succeed(register, { params: { fetch_event_types: [] } });
    await remove(target);
    await succeed(org.admin, target);
    const asked = { queue_id, last_event_id: -1, dont_block: true };
    const answer = await gateway.as(target).get("/api/v1/events", asked);
    refusedWith(answer, "BAD_EVENT_QUEUE_ID", { queue_id });
  });

  it("sends one event for two concurrent requests", async () => {
    const target = await user(db, org.realm, { isActive: false });
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      Promise.all([bring(org.owner, target.id), bring(org.admin, target.id)]),
    );
    expect(result.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(events.filter(({ type }) => type === "realm_user")).to.have.length(1);
  });

  it("runs the same number of statements for any number of subscriptions, groups and settings", async () => {
    const asked = async (n: number) => {
      const target = await user(db, org.realm);
      for (let i = 0; i < n; i++) {
        await userGroup(db, org.realm, { members: [target] });
        await channel(db, org.owner, {
          subscribers: [target],
          groups: { canSubscribeGroupId: await anonymousGroup(db, org.realm.id, [target.id]) },
        });
      }
      await remove(target);
      return countQueries(db, () => succeed(org.admin, target));
    };
    const few = await asked(1);
    const many = await asked(6);
    expect(ownStatements(many)).to.deep.equal(ownStatements(few));
  });

  describe("of a bot", () => {
    it("keeps its owner", async () => {
      const machine = await bot(db, org.member);
      await remove(machine);
      const events = await succeed(org.admin, machine);
      expect(announced(events)[0]).to.deep.equal(person(machine.id, { is_active: true }));
      expect(events.filter(({ type }) => type === "realm_user")).to.have.length(1);
      expect(await reload(db, machine)).to.include({ isActive: true, botOwnerId: org.member.id });
    });

    it("makes the caller its owner if the owner is deactivated", async () => {
      const target = await user(db, org.realm);
      const machine = await bot(db, target);
      await remove(target);
      const events = await succeed(org.admin, machine);
      const received = announced(events).filter(({ type }) => type !== "api_key_changed");
      expect(received.slice(0, 2)).to.deep.equal([
        person(machine.id, { is_active: true }),
        person(machine.id, { bot_owner_id: org.admin.id }),
      ]);
      expect((await reload(db, machine)).botOwnerId).to.equal(org.admin.id);
      // The old owner knows the old key.
      await refused(db, () => gateway.as(machine).call(getOwnUser), "UNAUTHORIZED");
    });

    it("requires a person as its owner", async () => {
      const target = await user(db, org.realm);
      const machine = await bot(db, target);
      await remove(target);
      await refuses(await bot(db, org.owner, { role: 200 }), machine);
    });

    it("requires the permission to create such a bot", async () => {
      const [generic, webhook] = [
        await bot(db, org.member),
        await bot(db, org.member, { botType: 2 }),
      ];
      await remove(generic);
      await remove(webhook);
      const nobody = org.groups["role:nobody"];
      const members = org.groups["role:members"];
      await changeOrganization(db, org.realm, { canCreateBotsGroupId: nobody });
      await refuses(org.owner, generic);
      await succeed(org.owner, webhook);
      await remove(webhook);
      await changeOrganization(db, org.realm, { canCreateWriteOnlyBotsGroupId: nobody });
      await refuses(org.owner, webhook);
      await changeOrganization(db, org.realm, {
        canCreateBotsGroupId: members,
        canCreateWriteOnlyBotsGroupId: members,
      });
    });

    it("requires a name that no active account has", async () => {
      const machine = await bot(db, org.member, { fullName: "Twin Bot" });
      await remove(machine);
      const twin = await user(db, org.realm, { fullName: "TWIN bot" });
      await refuses(org.owner, machine);
      await remove(twin);
      await succeed(org.owner, machine);
    });

    it("requires an organization owner if the bot may create users", async () => {
      const machine = await bot(db, org.member, { canCreateUsers: true });
      await remove(machine);
      await refuses(org.admin, machine, "UNAUTHORIZED_PRINCIPAL");
      await succeed(org.owner, machine);
    });

    it("leaves no active bot with a deactivated owner under concurrent requests", async () => {
      for (let round = 0; round < 6; round++) {
        const target = await user(db, org.realm);
        const machine = await bot(db, target);
        await remove(machine);
        const [removed, brought] = await Promise.all([
          gateway.as(org.owner).call(deactivateUser, { path: { user_id: target.id } }),
          bring(org.admin, machine.id),
        ]);
        expect([removed.status, brought.status]).to.deep.equal([200, 200]);
        const now = await reload(db, machine);
        if (now.isActive) expect(now.botOwnerId).to.equal(org.admin.id);
      }
    });
  });
});
