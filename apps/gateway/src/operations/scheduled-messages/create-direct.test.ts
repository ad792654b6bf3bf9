import {
  anonymousGroup,
  bot,
  changeOrganization,
  channel,
  deactivateUser,
  directMessage,
  scheduleAndRead,
  scheduleRefused,
  succeeded,
  type TestAccount,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Recipients of a scheduled direct message", () => {
  const scene = useScene();
  const to = async (sender: TestAccount, ids: readonly number[]) =>
    (await scheduleAndRead(scene.as(sender), directMessage(ids))).to;

  it("are stored once each, ascending, without the sender", async () => {
    const { member, guest, admin, owner } = scene.org;
    const others = [admin.id, owner.id, guest.id];
    const ascending = others.toSorted((a, b) => a - b);
    expect(await to(member, [guest.id, owner.id, guest.id, admin.id])).to.deep.equal(ascending);
    expect(await to(member, [member.id, ...others, member.id])).to.deep.equal(ascending);
  });

  it("are the sender alone if no others are given", async () => {
    const { member } = scene.org;
    expect(await to(member, [member.id])).to.deep.equal([member.id]);
    expect(await to(member, [member.id, member.id])).to.deep.equal([member.id]);
  });

  it("may be bots, including system bots", async () => {
    const { member, notificationBot } = scene.org;
    expect(await to(member, [scene.org.bot.id])).to.deep.equal([scene.org.bot.id]);
    expect(await to(member, [notificationBot.id])).to.deep.equal([notificationBot.id]);
  });

  for (const id of [0, -1, 2_000_000_000, 2_147_483_648, 9_007_199_254_740_991]) {
    it(`must exist: ${id}`, async () => {
      const { member, guest } = scene.org;
      await scheduleRefused(scene, member, directMessage([guest.id, id]));
    });
  }

  for (const list of ["[9223372036854775808]", "[-9223372036854775809]", `[${"9".repeat(400)}]`]) {
    it(`must exist: ${list.slice(0, 30)}`, async () => {
      const { member } = scene.org;
      await scheduleRefused(scene, member, { ...directMessage([]), to: list });
    });
  }

  it("must be active", async () => {
    const { org, db } = scene;
    const gone = await user(db, org.realm);
    await deactivateUser(db, gone);
    await scheduleRefused(scene, org.member, directMessage([gone.id]));
    await scheduleRefused(scene, org.member, directMessage([org.guest.id, gone.id]));
    const goneBot = await bot(db, org.owner, { isActive: false });
    await scheduleRefused(scene, org.member, directMessage([goneBot.id]));
  });

  it("are checked before the content", async () => {
    const params = directMessage([2_000_000_000], { content: "" });
    await scheduleRefused(scene, scene.org.member, params);
  });
});

describe("Permission for direct messages", () => {
  const scene = useScene();
  let privileged: TestAccount;
  let everyone: number;
  let nobody: number;
  let privilegedOnly: number;

  before(async () => {
    const { org, db } = scene;
    privileged = await user(db, org.realm);
    everyone = org.groups["role:everyone"];
    nobody = org.groups["role:nobody"];
    privilegedOnly = await anonymousGroup(db, org.realm.id, [privileged.id]);
  });
  afterEach(() => permit(everyone, everyone));

  const permit = async (directMessagePermissionGroupId: number, initiator = everyone) => {
    await changeOrganization(scene.db, scene.org.realm, {
      directMessagePermissionGroupId,
      directMessageInitiatorGroupId: initiator,
    });
  };
  const allowed = (sender: TestAccount, ...ids: number[]) =>
    scheduleAndRead(scene.as(sender), directMessage(ids));
  const refused = (sender: TestAccount, ...ids: number[]) =>
    scheduleRefused(scene, sender, directMessage(ids));

  it("is required of one participant", async () => {
    const { member, guest } = scene.org;
    await permit(privilegedOnly);
    await refused(member, guest.id);
    await allowed(member, privileged.id);
    await allowed(member, guest.id, privileged.id);
    await allowed(privileged, member.id);
  });

  it("is refused to all accounts if switched off, including owners", async () => {
    await permit(nobody);
    await refused(scene.org.member, scene.org.guest.id);
    await refused(scene.org.owner, scene.org.admin.id);
  });

  it("is not required for bots as senders or recipients, or for notes to oneself", async () => {
    const { member, guest } = scene.org;
    await permit(nobody, nobody);
    await allowed(scene.org.bot, guest.id);
    await allowed(member, scene.org.bot.id);
    await allowed(member, member.id);
    await allowed(member, member.id, scene.org.bot.id);
    await refused(member, scene.org.bot.id, guest.id);
  });

  it("includes members of subgroups", async () => {
    const { org, db } = scene;
    const outer = await anonymousGroup(db, org.realm.id, [], [org.groups["role:moderators"]]);
    await permit(outer);
    await allowed(org.member, org.owner.id);
    await refused(org.member, org.guest.id);
  });

  it("requires the sender to hold the permission to start a conversation", async () => {
    const { member, guest } = scene.org;
    await permit(everyone, privilegedOnly);
    await refused(member, privileged.id);
    await refused(member, guest.id);
    await allowed(privileged, member.id);
  });

  it("ignores that permission in a conversation with a message; a scheduled one does not count", async () => {
    const { member, admin, moderator } = scene.org;
    await allowed(moderator, member.id);
    const sent = { type: "direct", to: [member.id], content: "hi" };
    succeeded(await scene.as(admin).post("/api/v1/messages", sent));
    await permit(everyone, privilegedOnly);
    await allowed(member, admin.id);
    await allowed(admin, member.id);
    await refused(member, moderator.id);
    await refused(member, admin.id, moderator.id);
  });

  it("does not apply to channels", async () => {
    const { org, db } = scene;
    const room = await channel(db, org.realm);
    await permit(nobody, nobody);
    const params = { ...directMessage([]), type: "channel", to: room.id, topic: "t" };
    await scheduleAndRead(scene.as(org.member), params);
  });
});
