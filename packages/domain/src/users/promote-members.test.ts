import {
  bot,
  changeOrganization,
  eventsOf,
  organization,
  roles,
  useDatabase,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { promoteMembers } from "./promote-members.ts";

describe("the promotion to full members", () => {
  const db = useDatabase();
  let org: TestOrganization;
  beforeEach(async () => {
    await db.rows("UPDATE realms SET waiting_period_threshold = 0");
    org = await organization(db, { row: { waitingPeriodThreshold: 3 } });
  });

  const promote = (realmId = org.realm.id) =>
    eventsOf(db, realmId, () => promoteMembers(db, new AbortController().signal));
  const joinedAgo = async (interval: string, ...accounts: TestAccount[]) => {
    await db.rows("UPDATE users SET date_joined = now() - $1::interval WHERE id = ANY($2::int[])", [
      interval,
      accounts.map(({ id }) => id),
    ]);
  };
  const fullMembers = async ({ groups } = org) => {
    const rows = await db.prisma.userGroupMember.findMany({
      where: { groupId: groups["role:fullmembers"] },
      orderBy: { userId: "asc" },
    });
    return rows.map(({ userId }) => userId);
  };

  it("promotes in other organizations although one fails, and reports it", async () => {
    const other = await organization(db, { row: { waitingPeriodThreshold: 3 } });
    const [failing, patient] = [await user(db, org.realm), await user(db, other.realm)];
    await joinedAgo("72 hours", failing, patient);
    await db.rows(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.user_id = ${failing.id} THEN RAISE 'refused'; END IF; RETURN NEW; END $$`);
    await db.rows(
      "CREATE TRIGGER refuse BEFORE INSERT ON user_group_member FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    try {
      const error = await promote().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(AggregateError);
      expect((error as AggregateError).errors.map(String)).to.deep.equal([
        `Error: the work in organization ${org.realm.id} failed`,
      ]);
    } finally {
      await db.rows("DROP FUNCTION refuse CASCADE");
    }
    expect(await fullMembers(other)).to.deep.equal([patient.id]);
  });

  it("adds members after whole days of waiting, also bots, and sends an event for the active ones", async () => {
    const [patient, away, hasty] = [
      await user(db, org.realm),
      await user(db, org.realm, { isActive: false }),
      await user(db, org.realm),
    ];
    const machine = await bot(db, patient);
    await joinedAgo("72 hours", patient, away, machine, org.guest, org.moderator);
    await joinedAgo("71 hours 59 minutes", hasty);
    const { result, events } = await promote();
    expect(result).to.equal(1);
    expect(await fullMembers()).to.deep.equal([patient.id, away.id, machine.id]);
    expect(
      events.map(({ type, op, payload, audience }) => [type, op, payload, audience]),
    ).to.deep.equal([
      [
        "user_group",
        "add_members",
        { group_id: org.groups["role:fullmembers"], user_ids: [patient.id, machine.id] },
        null,
      ],
    ]);
  });

  it("does nothing and sends no event the second time", async () => {
    await joinedAgo("4 days", org.member);
    await promote();
    const before = await fullMembers();
    const { result, events } = await promote();
    expect([result, events]).to.deep.equal([0, []]);
    expect(await fullMembers()).to.deep.equal(before);
  });

  it("has one effect if several processes run it at once", async () => {
    await joinedAgo("4 days", org.member);
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all([1, 2, 3].map(() => promoteMembers(db, new AbortController().signal))),
    );
    expect(events).to.have.length(1);
  });

  it("removes no one, and skips organizations without a waiting period", async () => {
    const open = await organization(db);
    const early = await user(db, org.realm);
    await db.prisma.userGroupMember.create({
      data: { groupId: org.groups["role:fullmembers"], userId: early.id },
    });
    await db.prisma.userGroupMember.deleteMany({
      where: { groupId: open.groups["role:fullmembers"] },
    });
    const { events } = await promote(open.realm.id);
    expect(events).to.deep.equal([]);
    expect(await fullMembers(open)).to.deep.equal([]);
    expect(await fullMembers()).to.deep.equal([early.id]);
  });

  it("skips deactivated organizations, and stops when aborted", async () => {
    await joinedAgo("4 days", org.member);
    await changeOrganization(db, org.realm, { deactivated: true });
    expect((await promote()).result).to.equal(0);
    await changeOrganization(db, org.realm, { deactivated: false });
    expect(await promoteMembers(db, AbortSignal.abort())).to.equal(0);
    expect((await promote()).result).to.equal(1);
  });

  it("requires the role of a member at the time it runs", async () => {
    const late = await user(db, org.realm, { role: roles.guest });
    await joinedAgo("4 days", late);
    await promote();
    expect(await fullMembers()).not.to.include(late.id);
  });
});
