import {
  anonymousGroup,
  bot,
  changeOrganization,
  channel,
  organization,
  send,
  sendRefused,
  subscribe,
  type TestAccount,
  toChannel,
  toUsers,
  unsubscribe,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Permission to send a message", () => {
  const scene = useScene();
  const allowed = (account: TestAccount, params: object) => send(scene.as(account), { ...params });
  const refused = (account: TestAccount, params: object, code?: string, extra?: object) =>
    sendRefused(scene, account, { ...params }, code, { ...extra });
  const only = (...members: TestAccount[]) =>
    anonymousGroup(
      scene.db,
      scene.org.realm.id,
      members.map(({ id }) => id),
    );

  it("in a channel: members of its sending group and their bots", async () => {
    const { db, org } = scene;
    const groups = { canSendMessageGroupId: await only(org.member) };
    const room = toChannel((await channel(db, org.realm, { groups })).id);
    await allowed(org.member, room);
    await allowed(org.bot, room);
    for (const account of [org.owner, org.moderator, org.guest]) await refused(account, room);
  });

  it("in a private channel: subscribers, their bots, and content groups if history is shared", async () => {
    const { db, org } = scene;
    const made = await channel(db, org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [org.member],
      groups: { canSubscribeGroupId: await only(org.moderator) },
    });
    const room = toChannel(made.id);
    for (const account of [org.member, org.bot, org.moderator]) await allowed(account, room);
    for (const account of [org.owner, org.admin, org.guest]) await refused(account, room);
    await unsubscribe(db, made, org.member);
    for (const account of [org.member, org.bot]) await refused(account, room);
  });

  it("in a public channel: all but guests who are not subscribed", async () => {
    const { db, org } = scene;
    const made = await channel(db, org.realm);
    const room = toChannel(made.id);
    for (const account of [org.owner, org.member, org.bot]) await allowed(account, room);
    await refused(org.guest, room);
    await subscribe(db, made, org.guest);
    await allowed(org.guest, room);
    await allowed(org.guest, toChannel((await channel(db, org.realm, { isWebPublic: true })).id));
  });

  it("in a new topic: accounts that may start topics", async () => {
    const { db, org } = scene;
    const groups = { canCreateTopicGroupId: await only(org.admin) };
    const { id } = await channel(db, org.realm, { groups });
    await refused(org.member, toChannel(id, { topic: "Ärger" }));
    await allowed(await bot(db, org.admin), toChannel(id, { topic: "Ärger" }));
    await allowed(org.member, toChannel(id, { topic: "ärger" }));
    await refused(org.member, toChannel(id, { topic: "" }));
  });

  it("with a wildcard mention of many: accounts that may mention many", async () => {
    const { db, org } = scene;
    const crowd = [];
    for (let n = 0; n < 16; n++) crowd.push(await user(db, org.realm));
    const { id } = await channel(db, org.realm, { subscribers: crowd });
    const all = toChannel(id, { content: "@**everyone**" });
    const topic = toChannel(id, { content: "@**topic**" });
    await refused(org.member, all, "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
    await allowed(org.admin, all);
    for (const one of crowd) await allowed(one, toChannel(id));
    await refused(org.member, topic, "TOPIC_WILDCARD_MENTION_NOT_ALLOWED");
    await allowed(org.admin, topic);
  });

  it("to people: one participant has the permission, and the sender may start a conversation", async () => {
    const { member, admin, guest, moderator, realm, groups } = scene.org;
    const everyone = groups["role:everyone"];
    const set = (directMessagePermissionGroupId: number, directMessageInitiatorGroupId: number) =>
      changeOrganization(scene.db, realm, {
        directMessagePermissionGroupId,
        directMessageInitiatorGroupId,
      });
    await allowed(admin, toUsers([member.id]));
    await set(await only(moderator), everyone);
    await refused(member, toUsers([guest.id]));
    await refused(member, toUsers([admin.id]));
    await allowed(member, toUsers([moderator.id]));
    await set(everyone, await only(admin));
    await refused(member, toUsers([guest.id]));
    await allowed(member, toUsers([admin.id]));
    await allowed(scene.org.bot, toUsers([guest.id]));
    await allowed(member, toUsers([scene.org.bot.id]));
    await allowed(member, toUsers([member.id]));
    await set(everyone, everyone);
  });

  it("in another organization: no account", async () => {
    const other = await organization(scene.db);
    const { id } = await channel(scene.db, other.realm);
    await refused(scene.org.owner, toChannel(id), "STREAM_DOES_NOT_EXIST", { stream_id: id });
    await refused(scene.org.owner, toUsers([other.owner.id]));
    expect(await scene.db.prisma.message.count({ where: { realmId: other.realm.id } })).to.equal(0);
  });
});
