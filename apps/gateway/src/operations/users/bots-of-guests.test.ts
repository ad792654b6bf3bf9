import { updateUser } from "@carillon/contract";
import {
  bot,
  channel,
  countQueries,
  deactivateUser,
  eventsOf,
  organization,
  refused,
  reload,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Bots of guests", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const change = (target: TestAccount, role: number, by = org.owner) =>
    gateway.as(by).call(updateUser, { path: { user_id: target.id }, params: { role } });
  const becomes = async (target: TestAccount, role: number) => {
    const { result, events } = await eventsOf(db, org.realm.id, () => change(target, role));
    expect(result.body.result, result.body.msg).to.equal("success");
    return events;
  };
  const roleOf = async (account: TestAccount) => (await reload(db, account)).role;
  const groupsOf = async ({ id: userId }: TestAccount) =>
    (
      await db.rows<{ name: string }>(
        `SELECT g.name FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
         WHERE m.user_id = $1 ORDER BY 1`,
        [userId],
      )
    ).map(({ name }) => name);

  it("become guests with their owner, lose sight of members-only data, and are restored", async () => {
    const owner = await user(db, org.realm);
    const [subscriber, outsider] = [await bot(db, owner), await bot(db, owner)];
    const robots = [subscriber, outsider];
    const idle = await bot(db, owner);
    await deactivateUser(db, idle);
    const room = await channel(db, org.realm, { subscribers: [subscriber] });
    const other = await channel(db, org.realm);
    const ids = robots.map(({ id }) => id);

    const down = await becomes(owner, 600);
    for (const robot of [...robots, idle]) {
      expect(await roleOf(robot)).to.equal(600);
      expect(await groupsOf(robot)).to.deep.equal(["role:everyone"]);
    }
    const received = down.map(({ type, op, payload }) => ({ type, op, payload }));
    for (const { id } of [owner, ...robots, idle])
      expect(received).to.deep.include({
        type: "realm_user",
        op: "update",
        payload: { person: { user_id: id, role: 600 } },
      });
    expect(received).to.deep.include({
      type: "user_group",
      op: "add_members",
      payload: { group_id: org.groups["role:everyone"], user_ids: ids },
    });
    const gone = down.filter(({ type, op }) => type === "stream" && op === "delete");
    const lostBy = (id: number) =>
      gone
        .filter(({ audience }) => audience?.includes(id))
        .flatMap(({ payload }) => payload["stream_ids"] as number[]);
    expect(lostBy(subscriber.id)).to.include(other.id).and.not.to.include(room.id);
    expect(lostBy(outsider.id)).to.include.members([room.id, other.id]);
    await refused(db, () => gateway.as(outsider).get(`/api/v1/streams/${other.id}`));

    const up = await becomes(owner, 300);
    for (const robot of [...robots, idle]) {
      expect(await roleOf(robot)).to.equal(400);
      expect(await groupsOf(robot)).to.deep.equal(["role:fullmembers", "role:members"]);
    }
    expect(up.filter(({ type, op }) => type === "stream" && op === "create")).not.to.have.length(0);
    expect((await gateway.as(outsider).get(`/api/v1/streams/${other.id}`)).status).to.equal(200);
  });

  it("stay guests if they were guests before", async () => {
    const owner = await user(db, org.realm);
    const robot = await bot(db, owner);
    await becomes(robot, 600);
    await becomes(owner, 600);
    await becomes(owner, 400);
    expect(await roleOf(robot)).to.equal(600);
    await becomes(robot, 400);
  });

  it("cannot get another role from any caller", async () => {
    const owner = await user(db, org.realm);
    const robot = await bot(db, owner);
    await becomes(owner, 600);
    for (const role of [400, 300, 200, 100]) await refused(db, () => change(robot, role));
    expect(await roleOf(robot)).to.equal(600);
  });

  it("cannot be created, and become guests if created while the owner's role changes", async () => {
    const made: number[] = [];
    for (let n = 0; n < 4; n++) {
      const owner = await user(db, org.realm);
      const create = (name: string) =>
        gateway.as(owner).post("/api/v1/bots", { full_name: name, short_name: name });
      const [first] = await Promise.all([
        create(`racer-${owner.id}`),
        change(owner, 600),
        create(`racer-too-${owner.id}`),
      ]);
      if (first.status === 200) made.push(first.body["user_id"] as number);
      const roles = await db.rows<{ role: number }>(
        "SELECT role FROM users WHERE bot_owner_id = $1",
        [owner.id],
      );
      for (const { role } of roles) expect(role).to.equal(600);
      await refused(db, () => create("late"));
    }
  });

  it("are restored with a new owner", async () => {
    const owner = await user(db, org.realm);
    const robot = await bot(db, owner);
    await becomes(owner, 600);
    await deactivateUser(db, robot);
    await deactivateUser(db, owner);
    const { body } = await gateway.as(org.owner).post(`/api/v1/users/${robot.id}/reactivate`);
    expect(body.result, body.msg).to.equal("success");
    expect(await roleOf(robot)).to.equal(400);
    expect((await reload(db, robot)).botOwnerId).to.equal(org.owner.id);
  });

  it("run the same number of statements for any number of bots", async () => {
    const statements = [];
    for (const count of [2, 10]) {
      const owner = await user(db, org.realm);
      for (let n = 0; n < count; n++) await bot(db, owner);
      statements.push((await countQueries(db, () => change(owner, 600))).count);
    }
    expect(statements[1]).to.equal(statements[0]);
  });
});
