import { createBot, deactivateOwnUser, getOwnUser } from "@carillon/contract";
import {
  announced,
  bot,
  channel,
  eventsOf,
  organization,
  refused,
  reload,
  roles,
  type TestAccount,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("DELETE /users/me", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const leave = (by: TestAccount) => gateway.as(by).call(deactivateOwnUser);
  const gone = (userId: number) => ({
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: userId, is_active: false } },
    audience: null,
  });

  it("allows accounts of every role, including bots", async () => {
    const org = await organization(db);
    const second = await user(db, org.realm, { role: roles.owner });
    for (const by of [second, org.admin, org.moderator, org.bot, org.member, org.guest]) {
      const { result, events } = await eventsOf(db, org.realm.id, () => leave(by));
      expect(result.body).to.deep.equal({ result: "success", msg: "" });
      expect(announced(events)).to.deep.equal([gone(by.id)]);
      await refused(db, () => gateway.as(by).call(getOwnUser), "UNAUTHORIZED");
      await refused(db, () => leave(by), "UNAUTHORIZED");
    }
  });

  it("deactivates the caller's bots first and keeps their data", async () => {
    const org = await organization(db);
    const [one, two] = [await bot(db, org.member), await bot(db, org.member)];
    const asleep = await bot(db, org.member, { isActive: false });
    const foreign = await bot(db, org.admin);
    const room = await channel(db, org.owner, { subscribers: [org.member, org.owner] });
    const mine = [org.bot, one, two].filter(({ botOwnerId }) => botOwnerId === org.member.id);
    const { events } = await eventsOf(db, org.realm.id, () => leave(org.member));
    expect(
      events.filter(({ type }) => type === "realm_user").map(({ payload }) => payload),
    ).to.deep.equal([...mine, org.member].map(({ id }) => gone(id).payload));
    expect((await reload(db, foreign)).isActive).to.equal(true);
    expect((await reload(db, asleep)).isActive).to.equal(false);
    const subscription = await db.prisma.subscription.findFirstOrThrow({
      where: { userId: org.member.id, channelId: room.id },
    });
    expect(subscription).to.include({ active: true, isUserActive: false });
    const audit = await db.prisma.auditLog.findMany({
      where: { eventType: "user_deactivated", modifiedUserId: org.member.id },
    });
    expect(audit.map(({ actingUserId }) => actingUserId)).to.deep.equal([org.member.id]);
  });

  it("refuses the only active human owner, even with owner bots and deactivated owners", async () => {
    const org = await organization(db);
    await user(db, org.realm, { role: roles.owner, isActive: false });
    await bot(db, org.owner, { role: roles.owner });
    await refused(db, () => leave(org.owner), "CANNOT_DEACTIVATE_LAST_USER", {
      is_last_owner: true,
      entity: "organization owner",
    });
  });

  it("refuses the only active account with its own error", async () => {
    const org = await organization(db);
    await db.rows("UPDATE users SET is_active = false WHERE realm_id = $1 AND id <> $2", [
      org.realm.id,
      org.owner.id,
    ]);
    await db.rows("UPDATE users SET is_active = true WHERE system_bot_kind IS NOT NULL");
    await refused(db, () => leave(org.owner), "CANNOT_DEACTIVATE_LAST_USER", {
      is_last_owner: false,
      entity: "user",
    });
  });

  it("keeps one of two owners who leave at once", async () => {
    for (let round = 0; round < 4; round++) {
      const org = await organization(db);
      const second = await user(db, org.realm, { role: roles.owner });
      const answers = await Promise.all([leave(org.owner), leave(second)]);
      expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
      const owners = await db.prisma.user.count({
        where: { realmId: org.realm.id, role: roles.owner, isActive: true, isBot: false },
      });
      expect(owners).to.equal(1);
    }
  });

  it("leaves no active bot that is created meanwhile", async () => {
    const org = await organization(db);
    for (let round = 0; round < 4; round++) {
      const target = await user(db, org.realm);
      const make = (i: number) =>
        gateway.as(target).call(createBot, {
          params: { full_name: `Late ${target.id} ${i}`, short_name: `late-${target.id}-${i}` },
        });
      const [left, ...made] = await Promise.all([leave(target), ...[1, 2, 3].map(make)]);
      expect(left?.status).to.equal(200);
      for (const { status } of made) expect(status).to.be.oneOf([200, 401]);
      const alive = await db.prisma.user.count({
        where: { botOwnerId: target.id, isActive: true },
      });
      expect(alive).to.equal(0);
    }
  });

  it("requires credentials", async () => {
    await refused(db, () => gateway.anonymous.call(deactivateOwnUser), "UNAUTHORIZED");
  });
});
