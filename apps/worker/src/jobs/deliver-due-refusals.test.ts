import {
  anonymousGroup,
  changeChannel,
  changeOrganization,
  channel,
  channelMessage,
  deactivateUser,
  deliver,
  deliverNow,
  directMessage,
  failsSilently,
  failsWithNotice,
  inChannel,
  messagesOf,
  noticesTo,
  recordOf,
  schedule,
  scheduledMessage,
  scheduledOf,
  storedRow,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a scheduled message that may no longer be sent", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;
  let id: number;

  beforeEach(async () => {
    sender = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, {
      inviteOnly: true,
      subscribers: [sender, scene.org.guest],
    });
    id = await schedule(scene.as(sender), channelMessage(room.id, { topic: "" }));
  });

  const fails = (which = id) => failsWithNotice(scene, sender, which);
  const nobody = () => scene.org.groups["role:nobody"];
  const only = (...members: TestAccount[]) =>
    anonymousGroup(
      scene.db,
      scene.org.realm.id,
      members.map((member) => member.id),
    );

  it("fails when the channel is archived, stays listed and is not retried", async () => {
    await changeChannel(scene.db, room, { isArchived: true });
    await fails();
    expect(await recordOf(scene.as(sender), id)).to.include({ failed: true, content: "hello" });
    await changeChannel(scene.db, room, { isArchived: false });
    await deliver(scene.db, scene.org.realm);
    expect((await storedRow(scene.db, id))?.delivered).to.equal(false);
    expect(await messagesOf(scene.as(scene.org.guest), inChannel(room.id))).to.deep.equal([]);
    expect(await noticesTo(scene.as(sender), scene.org.notificationBot)).to.have.length(1);
  });

  it("fails when the sender has left a private channel", async () => {
    await unsubscribe(scene.db, room, sender);
    await fails();
  });

  it("fails when the sender may no longer post in the channel", async () => {
    await changeChannel(scene.db, room, { canSendMessageGroupId: nobody() });
    await fails();
  });

  it("fails when the channel no longer allows empty topics", async () => {
    await changeChannel(scene.db, room, { topicsPolicy: "disable_empty_topic" });
    await fails();
  });

  it("fails when the organization no longer allows empty topics", async () => {
    const { db, org } = scene;
    await changeOrganization(db, org.realm, { topicsPolicy: "disable_empty_topic" });
    await fails();
    await changeOrganization(db, org.realm, { topicsPolicy: "allow_empty_topic" });
  });

  it("fails when its topic is new and the sender may no longer start one", async () => {
    await changeChannel(scene.db, room, { canCreateTopicGroupId: nobody() });
    await fails();
  });

  it("fails when the channel has become too large for wildcard mentions", async () => {
    const { db, org } = scene;
    const which = await schedule(
      scene.as(sender),
      channelMessage(room.id, { content: "@**all**" }),
    );
    for (let n = 0; n < 14; n++) await subscribe(db, room, await user(db, org.realm));
    await fails(which);
  });

  it("fails when a recipient is deactivated", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    const both = [friend.id, org.guest.id];
    const which = await schedule(scene.as(sender), directMessage(both));
    await deactivateUser(db, friend);
    await fails(which);
  });

  it("fails when the organization has forbidden direct messages", async () => {
    const { db, org } = scene;
    const which = await schedule(scene.as(sender), directMessage([org.guest.id]));
    await changeOrganization(db, org.realm, { directMessagePermissionGroupId: nobody() });
    await fails(which);
    const everyone = org.groups["role:everyone"];
    await changeOrganization(db, org.realm, { directMessagePermissionGroupId: everyone });
  });

  it("sees topics that earlier messages of its batch started", async () => {
    const { db, org } = scene;
    const strict = await channel(db, org.realm, {
      subscribers: [sender],
      groups: { canCreateTopicGroupId: await only(org.admin) },
    });
    const early = await scheduledMessage(db, sender, strict, { topic: "plans", dueIn: -9 });
    const opener = await scheduledMessage(db, org.admin, strict, { topic: "Plans", dueIn: -8 });
    const follower = await scheduledMessage(db, sender, strict, { topic: "plans", dueIn: -7 });
    await deliver(db, org.realm);
    expect(await storedRow(db, early.id)).to.include({ failed: true });
    expect(await storedRow(db, opener.id)).to.include({ delivered: true });
    expect(await storedRow(db, follower.id)).to.include({ delivered: true, failed: false });
  });

  it("sees a conversation that an earlier message of its batch started", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    await changeOrganization(db, org.realm, {
      directMessageInitiatorGroupId: await only(friend),
    });
    const early = await scheduledMessage(db, sender, [friend], { dueIn: -9 });
    const opener = await scheduledMessage(db, friend, [sender], { dueIn: -8 });
    const answer = await scheduledMessage(db, sender, [friend], { dueIn: -7 });
    await deliver(db, org.realm);
    const everyone = org.groups["role:everyone"];
    await changeOrganization(db, org.realm, { directMessageInitiatorGroupId: everyone });
    const ends = [early, opener, answer].map((row) => storedRow(db, row.id));
    expect((await Promise.all(ends)).map((row) => row?.failed)).to.deep.equal([true, false, false]);
  });

  it("does not delay the other messages", async () => {
    const { db, org } = scene;
    const archived = await channel(db, org.realm, { isArchived: true });
    const rows = [];
    for (const target of [archived, room, archived, room, room]) {
      rows.push(await scheduledMessage(db, sender, target, { dueIn: -5 }));
    }
    await deliver(db, org.realm);
    const sent = await messagesOf(scene.as(sender), inChannel(room.id));
    const inRoom = rows.filter(({ channelId }) => channelId === room.id);
    expect(sent.map(({ content }) => content)).to.deep.equal(inRoom.map(({ content }) => content));
    expect(await noticesTo(scene.as(sender), org.notificationBot)).to.have.length(2);
  });

  it("notifies the bot when a bot's message fails", async () => {
    const { db, org } = scene;
    const own = await channel(db, org.realm);
    const which = await schedule(scene.as(org.bot), channelMessage(own.id));
    await changeChannel(db, own, { isArchived: true });
    await failsWithNotice(scene, org.bot, which);
  });
});

describe("a scheduled message whose sender is deactivated", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;
  let id: number;

  beforeEach(async () => {
    sender = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [scene.org.guest] });
    id = await schedule(scene.as(sender), channelMessage(room.id));
  });

  const reactivate = () =>
    scene.db.rows("UPDATE users SET is_active = true, deactivated_at = NULL WHERE id = $1", [
      sender.id,
    ]);

  it("fails without a notice, and shows as failed after a reactivation", async () => {
    await deactivateUser(scene.db, sender);
    expect(await storedRow(scene.db, id)).to.include({ failed: false, delivered: false });
    await failsSilently(scene, id);
    await reactivate();
    await deliver(scene.db, scene.org.realm);
    const list = await scheduledOf(scene.as(sender));
    expect(list.map((record) => [record.scheduled_message_id, record.failed])).to.deep.equal([
      [id, true],
    ]);
    expect(await noticesTo(scene.as(sender), scene.org.notificationBot)).to.deep.equal([]);
  });

  it("fails without a notice also when it is late or may not be sent", async () => {
    await changeChannel(scene.db, room, { isArchived: true });
    await deactivateUser(scene.db, sender);
    await failsSilently(scene, id);
  });

  it("is sent when the sender is reactivated in time", async () => {
    await deactivateUser(scene.db, sender);
    await reactivate();
    await deliverNow(scene.db, scene.org.realm, [id]);
    expect(await storedRow(scene.db, id)).to.include({ delivered: true });
  });

  it("fails without a notice when the sender is a system bot", async () => {
    const { db, org } = scene;
    const archived = await channel(db, org.realm, { isArchived: true });
    await failsSilently(scene, (await scheduledMessage(db, org.notificationBot, archived)).id);
  });
});
