import { removeSubscriptions, type InputOf } from "@carillon/contract";
import {
  bot,
  channel,
  deactivateUser,
  refused,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof removeSubscriptions>]?: unknown };

// channels.md §8
describe("DELETE /users/me/subscriptions: principals", () => {
  const scene = useScene();

  const remove = (by: TestAccount, names: readonly string[], params: Params = {}) =>
    scene.as(by).call(removeSubscriptions, { params: { subscriptions: names, ...params } });
  const removed = async (by: TestAccount, names: readonly string[], params: Params = {}) => {
    const { body } = await remove(by, names, params);
    expect(body.result, body.msg).to.equal("success");
    return body.removed;
  };
  const refuses = (by: TestAccount, names: readonly string[], params: Params = {}) =>
    refused(scene.db, () => remove(by, names, params));
  const subscribers = async ({ id }: TestChannel) =>
    (await scene.db.prisma.channel.findUniqueOrThrow({ where: { id } })).subscriberCount;

  it("handles empty lists and principals that are named twice", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.admin, { subscribers: [org.member, org.guest] });
    expect(await removed(org.member, [])).to.deep.equal([]);
    const names = [room.name, ` ${room.name.toUpperCase()} `];
    expect(await removed(org.member, names, { principals: [] })).to.deep.equal([room.name]);
    const principals = [org.guest.deliveryEmail, org.guest.deliveryEmail.toUpperCase()];
    expect(await removed(org.admin, names, { principals })).to.deep.equal([room.name]);
    expect(await subscribers(room)).to.equal(0);
  });

  it("lets guests remove others by a permission for role:everyone, but not by administering the channel", async () => {
    const { db, org } = scene;
    const everyone = { canRemoveSubscribersGroupId: org.groups["role:everyone"] };
    const subscribers = [org.guest, org.member, org.moderator];
    const room = await channel(db, org.admin, { subscribers, groups: everyone });
    await removed(org.guest, [room.name], { principals: [org.member.id] });
    const own = await channel(db, org.guest, { subscribers });
    await refuses(org.guest, [own.name], { principals: [org.member.id] });
    // A channel that guests see only as subscribers.
    await unsubscribe(db, room, org.guest);
    await refuses(org.guest, [room.name], { principals: [org.moderator.id] });
  });

  it("ignores a permission whose holder does not see the channel", async () => {
    const { db, org } = scene;
    const groups = { canRemoveSubscribersGroupId: org.groups["role:members"] };
    const room = await channel(db, org.admin, {
      inviteOnly: true,
      subscribers: [org.guest],
      groups,
    });
    const others = { principals: [org.guest.id] };
    const unknown = await refuses(org.member, ["nowhere"], others);
    const hidden = await refuses(org.member, [room.name], others);
    expect(hidden.msg?.replace(room.name, "nowhere")).to.equal(unknown.msg);
    const seen = { ...groups, canSubscribeGroupId: org.groups["role:members"] };
    const visible = await channel(db, org.admin, {
      inviteOnly: true,
      subscribers: [org.guest],
      groups: seen,
    });
    expect(await removed(org.member, [visible.name], others)).to.deep.equal([visible.name]);
  });

  it("lets bots leave, and remove others by their own permissions instead of their owners'", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.member);
    const subscribers = [robot, org.member, org.guest];
    const room = await channel(db, org.admin, { subscribers });
    await refuses(robot, [room.name], { principals: [org.member.id] });
    await refuses(org.bot, [room.name], { principals: [robot.id] });
    expect(await removed(robot, [room.name])).to.deep.equal([room.name]);
    const groups = { canRemoveSubscribersGroupId: org.groups["role:members"] };
    const theirs = await channel(db, org.admin, { subscribers, groups });
    await removed(robot, [theirs.name], { principals: [org.member.id, org.guest.id] });
    await removed(org.member, [theirs.name], { principals: [org.member.id, robot.id] });
  });

  it("removes no subscription if one is refused", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.member);
    const mine = await channel(db, org.member, { subscribers: [robot, org.guest] });
    const theirs = await channel(db, org.admin, { subscribers: [robot, org.guest] });
    const names = [mine.name, theirs.name];
    await removed(org.member, names, { principals: [robot.id] });
    await refuses(org.member, names, { principals: [robot.id, org.guest.id] });
    await refuses(org.member, [mine.name, "nowhere"], { principals: [org.guest.id] });
    expect(await removed(org.member, [mine.name], { principals: [org.guest.id] })).to.deep.equal([
      mine.name,
    ]);
  });

  it("refuses deactivated bots, also to their owners", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.member);
    const room = await channel(db, org.admin, { subscribers: [robot] });
    await deactivateUser(db, robot);
    await refuses(org.member, [room.name], { principals: [robot.id] });
    await refuses(org.member, [room.name], { principals: [robot.deliveryEmail] });
  });

  it("unsubscribes from archived channels too", async () => {
    const { db, org } = scene;
    const subscribers = [org.member, org.guest, org.moderator];
    for (const inviteOnly of [false, true]) {
      const room = await channel(db, org.owner, { inviteOnly, subscribers, isArchived: true });
      expect(await removed(org.member, [room.name])).to.deep.equal([room.name]);
      expect(await removed(org.guest, [room.name])).to.deep.equal([room.name]);
      await removed(org.admin, [room.name], { principals: [org.moderator.id] });
      const row = await db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } });
      expect(row).to.include({ subscriberCount: 0, isArchived: true });
    }
  });
});
