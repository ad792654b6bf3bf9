import { addSubscriptions, type InputOf } from "@carillon/contract";
import {
  bot,
  changeOrganization,
  channel,
  deactivateUser,
  refused,
  refusedWith,
  type TestAccount,
  type TestChannel,
  unique,
  unsubscribe,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof addSubscriptions>]?: unknown };

// channels.md §8
describe("POST /users/me/subscriptions: principals", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);

  const add = (by: TestAccount, names: readonly string[], params: Params = {}) =>
    scene.as(by).call(addSubscriptions, {
      params: { subscriptions: names.map((name) => ({ name })), ...params },
    });
  const added = async (by: TestAccount, names: readonly string[], params: Params = {}) => {
    const { body } = await add(by, names, params);
    expect(body.result, body.msg).to.equal("success");
    return body;
  };
  const refuses = (by: TestAccount, names: readonly string[], params: Params = {}) =>
    refused(scene.db, () => add(by, names, params));
  const row = ({ id }: TestChannel) => scene.db.prisma.channel.findUniqueOrThrow({ where: { id } });

  it("subscribes the caller for an empty list of principals, and does nothing without channels", async () => {
    const { member, admin } = scene.org;
    const room = await channel(scene.db, admin);
    const mine = await added(member, [room.name], { principals: [] });
    expect(mine.subscribed).to.deep.equal({ [member.id]: [room.name] });
    expect(await added(member, [])).to.deep.include({ subscribed: {}, already_subscribed: {} });
  });

  it("subscribes a person once who is named twice", async () => {
    const { member, admin, guest, moderator } = scene.org;
    const room = await channel(scene.db, admin);
    await added(member, [room.name, room.name.toUpperCase()], {
      principals: [guest.id, guest.id],
    });
    const { deliveryEmail } = moderator;
    const body = await added(member, [room.name, room.name], {
      principals: [deliveryEmail, ` ${deliveryEmail.toUpperCase()} `],
    });
    expect(body.subscribed).to.deep.equal({ [moderator.id]: [room.name] });
    expect(await row(room)).to.include({ subscriberCount: 2 });
  });

  it("subscribes bots by their own access, not by their owners'", async () => {
    const { db, org } = scene;
    const [open, closed] = [
      await channel(db, org.admin),
      await channel(db, org.admin, { inviteOnly: true, subscribers: [org.member] }),
    ];
    const robot = await bot(db, org.member);
    await added(robot, [open.name]);
    await refuses(robot, [closed.name]);
    const others = { principals: [org.member.id] };
    expect((await added(robot, [open.name], others)).subscribed).to.have.all.keys(
      String(org.member.id),
    );
    const name = unique("made by a bot");
    await added(robot, [name]);
    const made = await db.prisma.channel.findFirstOrThrow({ where: { name } });
    expect(made).to.include({ creatorId: robot.id, subscriberCount: 1 });
  });

  it("requires the same permission for the caller's own bots as for others", async () => {
    const { db, org } = scene;
    await changeOrganization(db, org.realm, {
      canAddSubscribersGroupId: org.groups["role:moderators"],
    });
    const room = await channel(db, org.admin);
    await refuses(org.member, [room.name], { principals: [org.bot.id] });
    await refuses(org.member, [room.name], { principals: [org.member.id, org.bot.id] });
    await refuses(org.bot, [room.name], { principals: [org.member.id] });
    await added(org.moderator, [room.name], { principals: [org.bot.id] });
    // The creator of a channel needs no permission to subscribe others.
    const name = unique("full");
    const body = await added(org.member, [name], { principals: [org.guest.id, org.bot.id] });
    expect(body.subscribed).to.deep.equal({ [org.guest.id]: [name], [org.bot.id]: [name] });
    await refuses(org.member, [unique("also new"), room.name], { principals: [org.guest.id] });
    await changeOrganization(db, org.realm, {
      canAddSubscribersGroupId: org.groups["role:members"],
    });
  });

  it("grants guests nothing by permission, and removed accounts nothing at all", async () => {
    const { db, org } = scene;
    const groups = {
      canSubscribeGroupId: org.groups["role:members"],
      canAddSubscribersGroupId: org.groups["role:members"],
    };
    const room = await channel(db, org.admin, { inviteOnly: true, groups });
    await refuses(org.guest, [room.name]);
    const closed = await channel(db, org.admin, { inviteOnly: true, subscribers: [org.member] });
    await added(org.member, [closed.name], { principals: [org.guest.id] });
    await unsubscribe(db, closed, org.member);
    await refuses(org.member, [closed.name]);
    await refuses(org.member, [closed.name], { principals: [org.guest.id] });
  });

  it("refuses subscriptions to an archived channel for every role", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.admin, { subscribers: [org.member], isArchived: true });
    for (const by of [org.owner, org.admin, org.member]) {
      await refuses(by, [room.name]);
      await refuses(by, [room.name], { principals: [org.moderator.id] });
      const body = await added(by, [room.name], { authorization_errors_fatal: false });
      expect(body).to.deep.include({ subscribed: {}, already_subscribed: {} });
      expect(body.unauthorized).to.deep.equal([room.name]);
    }
  });

  it("names each skipped channel once, and subscribes to none if a refusal is fatal", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.admin, { inviteOnly: true });
    const body = await added(org.member, [closed.name, ` ${closed.name} `], {
      authorization_errors_fatal: false,
      principals: [org.guest.id],
    });
    expect(body.unauthorized).to.deep.equal([closed.name]);
    expect(body).to.deep.include({ subscribed: {}, already_subscribed: {} });
    expect(await row(closed)).to.include({ subscriberCount: 0 });
  });

  describe("while a principal is being deactivated", () => {
    it("refuses the whole request", async () => {
      const { db, org } = scene;
      const [room, leaver] = [await channel(db, org.admin), await user(db, org.realm)];
      await blocker.lock("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", [leaver.id]);
      const request = add(org.member, [room.name], { principals: [org.guest.id, leaver.id] });
      await blocker.untilWaiting(1, "the request waits for the account");
      await blocker.lock("UPDATE users SET is_active = false WHERE id = $1", [leaver.id]);
      await blocker.lock("COMMIT");
      refusedWith(await request);
      expect(await row(room)).to.include({ subscriberCount: 0 });
    });

    it("refuses a deactivated principal by ID and by address", async () => {
      const { db, org } = scene;
      const [room, leaver] = [await channel(db, org.admin), await user(db, org.realm)];
      await added(org.member, [room.name], { principals: [leaver.id] });
      await deactivateUser(db, leaver);
      expect(await row(room)).to.include({ subscriberCount: 0 });
      for (const principals of [[leaver.id], [leaver.deliveryEmail]])
        await refuses(org.member, [room.name], { principals });
    });
  });
});
