import {
  anonymousGroup,
  bot,
  changeChannel,
  channel,
  channelMessage,
  type ChannelOverrides,
  type Params,
  scheduleAndRead,
  scheduleRefused,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const policy = { empty_topic_display_name: "general chat" };

describe("The channel of a scheduled message", () => {
  const scene = useScene();
  const make = (overrides: ChannelOverrides = {}) => channel(scene.db, scene.org.realm, overrides);
  const allowed = (sender: TestAccount, room: TestChannel, over: Params = {}) =>
    scheduleAndRead(scene.as(sender), channelMessage(room.id, over));
  const refused = (
    sender: TestAccount,
    room: TestChannel,
    over: Params = {},
    code?: string,
    extra?: Readonly<Record<string, unknown>>,
  ) => scheduleRefused(scene, sender, channelMessage(room.id, over), code, extra);
  const only = (...members: TestAccount[]) =>
    anonymousGroup(
      scene.db,
      scene.org.realm.id,
      members.map(({ id }) => id),
    );

  for (const id of [0, -1, 2_000_000_000, 2_147_483_648, 9_007_199_254_740_991]) {
    it(`must exist: ${id}`, async () => {
      const params = channelMessage(id);
      await scheduleRefused(scene, scene.org.member, params, "STREAM_DOES_NOT_EXIST", {
        stream_id: id,
      });
    });
  }

  it("refuses an ID out of range", async () => {
    for (const to of ["9223372036854775808", "-9223372036854775809", "9".repeat(400)]) {
      const answer = await scene
        .as(scene.org.member)
        .post("/api/v1/scheduled_messages", { ...channelMessage(1), to });
      expect(answer.status, answer.text).to.equal(400);
    }
  });

  it("accepts members of its sending group only, without exception for owners", async () => {
    const { org } = scene;
    const silent = await make({
      subscribers: [org.member, org.owner],
      groups: { canSendMessageGroupId: org.groups["role:nobody"] },
    });
    await refused(org.member, silent);
    await refused(org.owner, silent);
    const mods = await make({ groups: { canSendMessageGroupId: org.groups["role:moderators"] } });
    for (const sender of [org.moderator, org.admin, org.owner]) await allowed(sender, mods);
    await refused(org.member, mods, { content: "@**all**" });
    await refused(org.member, mods, { topic: "" });
  });

  it("includes members of subgroups in its sending group", async () => {
    const { org, db } = scene;
    const inner = await anonymousGroup(
      db,
      org.realm.id,
      [org.member.id],
      [org.groups["role:owners"]],
    );
    const room = await make({ groups: { canSendMessageGroupId: inner } });
    await allowed(org.member, room);
    await allowed(org.owner, room);
    await refused(org.admin, room);
  });

  it("accepts a bot if its owner or the bot itself may send", async () => {
    const { org, db } = scene;
    const ownersBot = await bot(db, org.owner);
    const forOwner = await make({ groups: { canSendMessageGroupId: await only(org.owner) } });
    await allowed(ownersBot, forOwner);
    await refused(org.bot, forOwner);
    const forBot = await make({ groups: { canSendMessageGroupId: await only(org.bot) } });
    await allowed(org.bot, forBot);
  });

  it("refuses messages if archived, whoever sends", async () => {
    const { org } = scene;
    const old = await make({ subscribers: [org.member, org.owner], isArchived: true });
    await refused(org.member, old);
    await refused(org.owner, old);
    await refused(org.bot, old);
  });

  it("accepts unsubscribed members if public", async () => {
    const room = await make();
    const { member, owner } = scene.org;
    for (const sender of [member, owner, scene.org.bot]) await allowed(sender, room);
  });

  it("accepts subscribed guests, and all guests if web-public", async () => {
    const { guest } = scene.org;
    const room = await make();
    await refused(guest, room);
    await subscribe(scene.db, room, guest);
    await allowed(guest, room);
    await unsubscribe(scene.db, room, guest);
    await refused(guest, room);
    await allowed(guest, await make({ isWebPublic: true }));
  });

  it("accepts subscribers only if private, and refuses others without hiding the channel", async () => {
    const { org } = scene;
    for (const historyPublicToSubscribers of [true, false]) {
      const room = await make({
        inviteOnly: true,
        historyPublicToSubscribers,
        subscribers: [org.member],
      });
      await allowed(org.member, room);
      for (const sender of [org.owner, org.admin, org.moderator, org.guest])
        await refused(sender, room);
    }
  });

  it("accepts a bot if the bot or its owner is subscribed", async () => {
    const { org, db } = scene;
    const ownersBot = await bot(db, org.owner);
    const room = await make({ inviteOnly: true, subscribers: [org.member] });
    await allowed(org.bot, room);
    await refused(ownersBot, room);
    await subscribe(db, room, ownersBot);
    await allowed(ownersBot, room);
    await refused(org.owner, room);
  });

  for (const setting of ["canAddSubscribersGroupId", "canSubscribeGroupId"] as const) {
    it(`accepts members of ${setting} if history is shared`, async () => {
      const { org } = scene;
      const groups = { [setting]: await only(org.moderator, org.guest) };
      const shared = await make({ inviteOnly: true, historyPublicToSubscribers: true, groups });
      await allowed(org.moderator, shared);
      await refused(org.guest, shared);
      await refused(org.member, shared);
      const protectedOne = await make({
        inviteOnly: true,
        historyPublicToSubscribers: false,
        groups,
      });
      await refused(org.moderator, protectedOne);
    });
  }

  describe("with a group that may start topics", () => {
    let room: TestChannel;
    before(async () => {
      const { org } = scene;
      room = await make({ groups: { canCreateTopicGroupId: await only(org.admin) } });
      for (const topic of ["Lunch", "Änderung", "çay"]) {
        const sent = { type: "channel", to: room.id, topic, content: "first" };
        const answer = await scene.as(org.admin).post("/api/v1/messages", sent);
        expect(answer.status, answer.text).to.equal(200);
      }
    });

    it("accepts others in existing topics in any case", async () => {
      for (const topic of ["Lunch", "LUNCH", "lunch", "änderung", "ÇAY"]) {
        await allowed(scene.org.member, room, { topic });
      }
    });

    it("refuses others in new topics, including the empty topic and prefixes of existing ones", async () => {
      const { org } = scene;
      for (const topic of ["Dinner", "", "Lunch 2", "Lunc", "L%"])
        await refused(org.member, room, { topic });
      await allowed(org.admin, room, { topic: "Scheduled only" });
      await refused(org.member, room, { topic: "Scheduled only" });
    });

    it("checks the permission before the topics policy, and per channel", async () => {
      const { org, db } = scene;
      await changeChannel(db, room, { topicsPolicy: "disable_empty_topic" });
      await refused(org.member, room, { topic: "" });
      await refused(org.admin, room, { topic: "" }, "BAD_REQUEST", policy);
      const other = await make({ groups: { canCreateTopicGroupId: await only(org.admin) } });
      await refused(org.member, other, { topic: "Lunch" });
    });

    it("accepts new topics of a bot if its owner may start topics", async () => {
      const { org, db } = scene;
      await allowed(await bot(db, org.admin), room, { topic: "by the bot" });
      await refused(org.bot, room, { topic: "by the bot" });
    });
  });

  it("is checked in order: sending, archived, access, topic, policy", async () => {
    const { org } = scene;
    const topicsPolicy = "disable_empty_topic";
    const over = { topic: "" };
    await refused(org.owner, await make({ topicsPolicy, isArchived: true }), over);
    await refused(org.owner, await make({ topicsPolicy, inviteOnly: true }), over);
    await refused(org.guest, await make({ topicsPolicy }), over);
    await refused(
      org.member,
      await make({ topicsPolicy }),
      { ...over, content: "@**all**" },
      "BAD_REQUEST",
      policy,
    );
  });
});
