import { getUserChannels } from "@carillon/contract";
import {
  bot,
  changeChannel,
  changeOrganization,
  channel,
  deactivateUser,
  organization,
  refused,
  refusedAlike,
  subscribe,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  unsubscribe,
  useScene,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §7
describe("GET /users/{user_id}/channels", () => {
  const scene = useScene();
  const { db } = scene;
  let other: TestOrganization;
  let whom: TestAccount;
  let open: TestChannel;
  let closed: TestChannel;
  let web: TestChannel;

  before(async () => {
    const { realm, member, guest } = scene.org;
    other = await organization(db);
    whom = await user(db, realm);
    web = await channel(db, realm, { subscribers: [whom], isWebPublic: true });
    open = await channel(db, realm, { subscribers: [whom, guest] });
    closed = await channel(db, realm, { subscribers: [whom], inviteOnly: true });
    const [left, archived] = [
      await channel(db, realm, { subscribers: [whom] }),
      await channel(db, realm, { subscribers: [whom] }),
    ];
    await unsubscribe(db, left, whom);
    await changeChannel(db, archived, { isArchived: true });
    await channel(db, realm, { subscribers: [member] });
  });

  const ask = (by: TestAccount, user_id: number) =>
    scene.as(by).call(getUserChannels, { path: { user_id } });
  const channelsOf = async (by: TestAccount, account = whom) =>
    (await scene.as(by).succeed(getUserChannels, { path: { user_id: account.id } }))
      .subscribed_channel_ids;
  const idsOf = (...channels: TestChannel[]) =>
    channels.map(({ id }) => id).toSorted((a, b) => a - b);

  it("lists subscribed active channels whose metadata the caller may see", async () => {
    const { member, guest, owner, admin } = scene.org;
    expect(await channelsOf(whom)).to.deep.equal(idsOf(web, open, closed));
    expect(await channelsOf(member)).to.deep.equal(idsOf(web, open));
    for (const by of [owner, admin])
      expect(await channelsOf(by)).to.deep.equal(idsOf(web, open, closed));
    expect(await channelsOf(guest), "a guest").to.deep.equal(idsOf(web, open));
    const insider = await user(db, scene.org.realm);
    await subscribe(db, closed, insider);
    expect(await channelsOf(insider)).to.deep.equal(idsOf(web, open, closed));
  });

  it("lists the channels of bots, and none of deactivated accounts", async () => {
    const { realm, member } = scene.org;
    const [robot, gone] = [await bot(db, member), await user(db, realm)];
    await subscribe(db, open, robot, gone);
    await deactivateUser(db, gone);
    expect(await channelsOf(member, robot)).to.deep.equal(idsOf(open));
    expect(await channelsOf(member, gone)).to.deep.equal([]);
    expect(await channelsOf(robot, whom)).to.deep.equal(idsOf(web, open));
  });

  it("refuses accounts that are unknown, of another organization, or hidden from a guest", async () => {
    const { guest, realm, member } = scene.org;
    const strangers = [other.member.id, 2_000_000_000, 0, 10 ** 15];
    await refusedAlike(db, strangers, (id) => ask(member, id));
    const canAccessAllUsersGroupId = scene.org.groups["role:members"];
    await changeOrganization(db, realm, { canAccessAllUsersGroupId });
    const unseen = await user(db, realm);
    await refusedAlike(db, [...strangers, unseen.id], (id) => ask(guest, id));
    await refused(
      db,
      () => scene.gateway.anonymous.get(`/api/v1/users/${whom.id}/channels`),
      "UNAUTHORIZED",
      {},
    );
  });
});
