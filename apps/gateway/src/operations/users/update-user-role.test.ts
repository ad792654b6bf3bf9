import { updateUser } from "@carillon/contract";
import {
  announced,
  bot,
  organization,
  personChange,
  reload,
  roles,
  useScene,
  userChanging,
  user,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /users/{user_id}: role", () => {
  const scene = useScene();
  const { patch, change, refuses, groupsOf } = userChanging(scene);
  const { db } = scene;
  let org: TestOrganization;
  before(() => {
    org = scene.org;
  });

  const membership = (op: string, group: keyof TestOrganization["groups"], userId: number) => ({
    type: "user_group",
    op,
    payload: { group_id: org.groups[group], user_ids: [userId] },
    audience: null,
  });
  const stateOf = async (userId: number) => ({
    row: await db.prisma.user.findUnique({ where: { id: userId } }),
    groups: await groupsOf(userId),
    audit: await db.prisma.auditLog.count({ where: { modifiedUserId: userId } }),
  });

  for (const value of ["0", "150", "700", "400.0", '"400"', "null", "member", "", "true"])
    it(`refuses ${JSON.stringify(value)}`, () =>
      refuses(org.owner, org.member.id, { role: value, full_name: "Not Changed" }));

  // From each role to each role: which callers may change it.
  const all = [100, 200, 300, 400, 600];
  for (const from of all)
    for (const to of all) {
      if (from === to) continue;
      it(`changes ${from} to ${to} for permitted callers only`, async () => {
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

  it("is sent to all accounts, followed by the old, new and full members' groups", async () => {
    const target = await user(db, org.realm);
    const up = await change(org.admin, target, { role: 300 });
    expect(announced(up.events)).to.deep.equal([
      personChange(target.id, { role: 300 }),
      membership("remove_members", "role:members", target.id),
      membership("add_members", "role:moderators", target.id),
      membership("remove_members", "role:fullmembers", target.id),
    ]);
    expect(await groupsOf(target.id)).to.deep.equal(["role:moderators"]);
    const down = await change(org.admin, target, { role: 400 });
    expect(announced(down.events)).to.deep.equal([
      personChange(target.id, { role: 400 }),
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

  it("makes no full member before the waiting period ends", async () => {
    const young = await organization(db, { row: { waitingPeriodThreshold: 3 } });
    const target = await user(db, young.realm, { role: roles.moderator });
    await scene.gateway
      .as(young.admin)
      .succeed(updateUser, { path: { user_id: target.id }, params: { role: 400 } });
    expect(await groupsOf(target.id)).to.deep.equal(["role:members"]);
    await db.rows("UPDATE users SET date_joined = now() - interval '73 hours' WHERE id = $1", [
      target.id,
    ]);
    for (const role of [600, 400])
      await scene.gateway
        .as(young.admin)
        .succeed(updateUser, { path: { user_id: target.id }, params: { role } });
    expect(await groupsOf(target.id)).to.deep.equal(["role:fullmembers", "role:members"]);
  });

  it("of a deactivated account changes without group events", async () => {
    const gone = await user(db, org.realm, { isActive: false });
    const { events } = await change(org.admin, gone, { role: 300 });
    expect(announced(events)).to.deep.equal([personChange(gone.id, { role: 300 })]);
    expect(await groupsOf(gone.id)).to.deep.equal(["role:moderators"]);
  });

  it("equal to the current one changes nothing", async () => {
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
    await scene.gateway
      .as(own.owner)
      .succeed(updateUser, { path: { user_id: own.owner.id }, params: { role: 600 } });
    await refuses(second, second.id, { role: 400 });
  });

  it("of owner can be taken from bots and deactivated accounts, even the last one", async () => {
    const own = await organization(db);
    const targets = [
      await user(db, own.realm, { role: roles.owner, isActive: false }),
      await bot(db, own.owner, { role: roles.owner }),
    ];
    for (const target of targets) {
      await scene.gateway
        .as(own.owner)
        .succeed(updateUser, { path: { user_id: target.id }, params: { role: 400 } });
      expect((await reload(db, target)).role).to.equal(400);
    }
  });

  it("of owner stays with one of two owners who demote each other at once", async () => {
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

  it("of owner cannot be granted by a caller who has just lost it", async () => {
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

  it("of administrator can be given up by its holder", async () => {
    const by = await user(db, org.realm, { role: roles.administrator });
    await change(by, by, { role: 400 });
    await refuses(by, by.id, { role: 200 });
  });
});
