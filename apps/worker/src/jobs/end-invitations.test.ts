import {
  createInviteLink,
  createUser,
  deactivateUser as deactivate,
  listInvites,
  reactivateUser,
  resendInvite,
  roles,
} from "@carillon/contract";
import { endInvitations } from "@carillon/jobs";
import {
  browser,
  eventsOf,
  keyIn,
  pendingPayloads,
  runJob,
  type TestAccount,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

/** One transaction ends 500. */
const many = 1_100;
const several = 600;

describe("the job end-invitations", () => {
  const scene = useScene();
  const { db } = scene;

  const write = (maker: TestAccount, email: string, count: number) =>
    db.rows(
      `INSERT INTO invitations (realm_id, kind, maker_id, email, role, include_defaults, notify_referrer, key_digest, key_sealed)
       SELECT $1, 'email', $2, replace($3, '#', n::text), 400, false, false, sha256(($3 || n)::bytea), ''
       FROM generate_series(1, $4::int) n`,
      [scene.org.realm.id, maker.id, email, count],
    );
  const listed = async (by: TestAccount) => (await scene.as(by).succeed(listInvites)).invites;
  const ended = (maker: TestAccount) =>
    db.prisma.invitation.count({ where: { makerId: maker.id, endedAt: { not: null } } });
  const deactivated = (maker: TestAccount) =>
    scene.as(scene.org.owner).succeed(deactivate, { path: { user_id: maker.id } });

  /** Runs the job and all that it records, each twice. @returns the number of steps */
  async function run(): Promise<number> {
    const pending = () =>
      db.rows<{ intentId: number; version: number }>(
        `SELECT id AS "intentId", version FROM job_intent WHERE job = $1 AND state = 'pending'`,
        [endInvitations.name],
      );
    let steps = 0;
    for (let jobs = await pending(); jobs.length > 0; jobs = await pending())
      for (const job of jobs) {
        steps++;
        for (let n = 0; n < 2; n++) await runJob(db, endInvitations, job);
      }
    return steps;
  }

  it("ends the links of a deactivated maker in steps; none of them works before, nor after a reactivation", async () => {
    const { owner, member, realm } = scene.org;
    const maker = await user(db, realm, { role: roles.administrator });
    await write(maker, "joins#@example.com", many);
    const { invite_link: link } = await scene.as(maker).succeed(createInviteLink, { params: {} });
    const path = `/join/${keyIn(link)}/`;
    const page = browser(scene.gateway);
    const form = await page.opened(path);
    await write(member, "others#@example.com", 3);
    const { events } = await eventsOf(db, realm.id, () => deactivated(maker));
    expect(events.filter(({ type }) => type === "invites_changed")).to.have.length(1);
    expect(await ended(maker)).to.equal(500);
    expect(await listed(owner)).to.have.length(3);

    await scene.as(owner).succeed(reactivateUser, { path: { user_id: maker.id } });
    expect(await listed(maker)).to.have.length(3);
    expect((await page.open(path)).status, "status").to.equal(404);
    const fields = { csrf_token: form.token, email: "late@example.com" };
    expect((await page.post(path, fields, form.cookie)).status, "status").to.equal(404);
    const open = await db.prisma.invitation.findFirstOrThrow({
      where: { makerId: maker.id, endedAt: null, kind: "email" },
    });
    const resent = await scene.as(maker).call(resendInvite, { path: { invite_id: open.id } });
    expect(resent.status).to.equal(400);

    const { invite_link: fresh } = await scene.as(maker).succeed(createInviteLink, { params: {} });
    expect(await pendingPayloads(db, endInvitations)).to.deep.equal([{ userId: maker.id }]);
    const { result: steps, events: more } = await eventsOf(db, realm.id, run);
    expect(steps).to.equal(2);
    expect(more).to.deep.equal([]);
    expect(await ended(maker)).to.equal(many + 1);
    expect(await ended(member)).to.equal(0);
    expect((await page.open(`/join/${keyIn(fresh)}/`)).status, "status").to.equal(200);
  });

  it("ends the links for the address of a new account in steps, with events to their makers", async () => {
    const { owner, member, realm } = scene.org;
    await write(member, "popular@example.com", several);
    const before = (await listed(owner)).length;
    await scene.as(owner).succeed(createUser, {
      params: { email: "Popular@example.com", password: "plum rivers sing 42", full_name: "Po" },
    });
    expect(await listed(owner)).to.have.length(before - 500);
    const { result: steps, events } = await eventsOf(db, realm.id, run);
    expect(steps).to.equal(1);
    expect(events.map(({ type }) => type)).to.deep.equal(["invites_changed"]);
    expect(events[0]?.audience).to.include.members([owner.id, member.id]);
    expect(await listed(owner)).to.have.length(before - several);
  });

  it("is not needed for a few links", async () => {
    const maker = await user(db, scene.org.realm, { role: roles.administrator });
    await scene.as(maker).succeed(createInviteLink, { params: {} });
    await deactivated(maker);
    expect(await ended(maker)).to.equal(1);
    expect(await pendingPayloads(db, endInvitations)).to.deep.equal([]);
  });
});
