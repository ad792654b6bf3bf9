import { planPushes, type PlannedPush, sendPushes } from "@carillon/jobs";
import {
  alertWord,
  bot,
  changeSettings,
  channel,
  countQueries,
  crowd,
  deactivateUser,
  device,
  forgetIntents,
  muteUser,
  pendingPayloads,
  plannedPushes,
  runIntents,
  runJob,
  send,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("the job plan-pushes", () => {
  const scene = useScene();
  let receiver: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    await forgetIntents(db, planPushes, sendPushes);
    await db.prisma.clientDevice.deleteMany();
    receiver = await user(db, org.realm);
    await changeSettings(db, receiver, {
      automatically_follow_topics_policy: 4,
      automatically_follow_topics_where_mentioned: false,
    });
    room = await channel(db, org.realm, { subscribers: [receiver, org.owner, org.member] });
    await device(db, receiver, { active: 1 });
  });

  const sendIn = (content: string, by = scene.org.owner) =>
    send(scene.as(by), toChannel(room.id, { content }));
  const mention = (to = receiver) => `@**${to.fullName}**`;
  const reasons = (pushes: readonly PlannedPush[], to = receiver) =>
    pushes.filter(({ userId }) => userId === to.id).map(({ trigger }) => trigger);
  const reason = async (content: string) => {
    await sendIn(content);
    return reasons(await plannedPushes(scene.db));
  };
  const setSubscription = (data: object) =>
    scene.db.prisma.subscription.update({
      where: { channelId_userId: { channelId: room.id, userId: receiver.id } },
      data,
    });

  describe("finds the trigger", () => {
    it("of a direct message, for all members except the sender", async () => {
      const { db, org } = scene;
      await device(db, org.owner, { active: 2 });
      const messageId = await send(scene.as(org.owner), toUsers([receiver.id, org.member.id]));
      expect(await plannedPushes(db)).to.deep.equal([
        { userId: receiver.id, messageId, trigger: "direct_message" },
      ]);
    });

    it("of a direct message to oneself: none", async () => {
      await send(scene.as(receiver), toUsers([receiver.id]));
      expect(await pendingPayloads(scene.db, planPushes)).to.deep.equal([]);
    });

    it("of a mention, also in muted channels and topics", async () => {
      expect(await reason(mention())).to.deep.equal(["mention"]);
      await setSubscription({ isMuted: true });
      await setTopicPolicy(scene.db, receiver, room.id, "lunch", "muted");
      expect(await reason(mention())).to.deep.equal(["mention", "mention"]);
    });

    it("of an ordinary channel message: only by the channel's or the account's setting", async () => {
      const { db } = scene;
      expect(await reason("hello")).to.deep.equal([]);
      expect(await reason(`@_**${receiver.fullName}**`)).to.deep.equal([]);
      await setSubscription({ pushNotifications: true });
      expect(await reason("hello")).to.deep.equal(["channel"]);
      await forgetIntents(db, sendPushes);
      await setSubscription({ pushNotifications: null });
      await changeSettings(db, receiver, { enable_stream_push_notifications: true });
      expect(await reason("hello")).to.deep.equal(["channel"]);
      await forgetIntents(db, sendPushes);
      await setSubscription({ pushNotifications: false });
      expect(await reason("hello")).to.deep.equal([]);
      await setSubscription({ pushNotifications: true, isMuted: true });
      expect(await reason("hello")).to.deep.equal([]);
    });

    it("of a followed topic, regardless of case", async () => {
      await setTopicPolicy(scene.db, receiver, room.id, "LUNCH", "followed");
      expect(await reason("hello")).to.deep.equal(["followed_topic"]);
      expect(await reason("@**all**")).to.deep.equal(["followed_topic", "followed_topic_wildcard"]);
    });

    it("of wildcards, by the channel's setting before the account's", async () => {
      const { db } = scene;
      expect(await reason("@**all**")).to.deep.equal(["wildcard"]);
      await forgetIntents(db, sendPushes);
      await setSubscription({ wildcardMentionsNotify: false });
      expect(await reason("@**all**")).to.deep.equal([]);
      expect(await reason("@**topic**")).to.deep.equal([]);
    });

    it("of a topic wildcard, only for accounts that have sent to the topic", async () => {
      await sendIn("first", receiver);
      await forgetIntents(scene.db, planPushes);
      expect(await reason("@**topic**")).to.deep.equal(["wildcard"]);
    });

    it("of the setting for offline notifications: none if it is off", async () => {
      const { db, org } = scene;
      await changeSettings(db, receiver, { enable_offline_push_notifications: false });
      expect(await reason(`${mention()} @**all**`)).to.deep.equal([]);
      await send(scene.as(org.owner), toUsers([receiver.id]));
      expect(await plannedPushes(db)).to.deep.equal([]);
    });

    it("of a user group: the smallest one that contains the account", async () => {
      const { db, org } = scene;
      const { realm, member, admin, owner } = org;
      const inner = await userGroup(db, realm, { members: [receiver] });
      const small = await userGroup(db, realm, { members: [member], subgroups: [inner.id] });
      const large = await userGroup(db, realm, { members: [receiver, member, admin] });
      const other = await userGroup(db, realm, { members: [owner] });
      const messageId = await sendIn(`@*${other.name}* @*${large.name}* @*${small.name}*`);
      expect(await plannedPushes(db)).to.deep.equal([
        { userId: receiver.id, messageId, trigger: "mention", groupId: small.id },
      ]);
      await forgetIntents(db, sendPushes);
      await sendIn(`@*${small.name}* ${mention()}`);
      const [push] = await plannedPushes(db);
      expect(push).to.include({ trigger: "mention" }).and.not.to.have.property("groupId");
    });

    it("of the message's current content", async () => {
      const { db, org } = scene;
      const id = await sendIn(mention());
      await scene.as(org.owner).patch(`/api/v1/messages/${id}`, { content: "never mind" });
      expect(await plannedPushes(db)).to.deep.equal([]);
      const later = await sendIn("who?");
      await scene.as(org.owner).patch(`/api/v1/messages/${later}`, { content: "@**all**" });
      expect(await plannedPushes(db)).to.deep.equal([]);
    });
  });

  describe("excludes", () => {
    const nobody = async () => expect(await plannedPushes(scene.db)).to.deep.equal([]);

    it("accounts without a reachable device", async () => {
      const { db, org } = scene;
      await device(db, org.member, { pending: 3 });
      await device(db, org.member, { key: { id: 1 } });
      await send(scene.as(org.owner), toUsers([org.member.id]));
      expect(await pendingPayloads(db, planPushes)).to.deep.equal([]);
      await send(scene.as(org.owner), toUsers([org.member.id, receiver.id]));
      expect(reasons(await plannedPushes(db), org.member)).to.deep.equal([]);
    });

    it("the sender", async () => {
      await sendIn(`@**all** ${mention()}`, receiver);
      await nobody();
    });

    it("bots", async () => {
      const { db, org } = scene;
      const robot = await bot(db, org.owner);
      await device(db, robot, { active: 4 });
      await send(scene.as(org.owner), toUsers([robot.id]));
      await nobody();
    });

    it("accounts deactivated meanwhile", async () => {
      await send(scene.as(scene.org.owner), toUsers([receiver.id]));
      await deactivateUser(scene.db, receiver);
      await nobody();
    });

    it("accounts that have muted the sender, before or after sending", async () => {
      const { db, org } = scene;
      await send(scene.as(org.owner), toUsers([receiver.id]));
      await muteUser(db, receiver, org.owner);
      await sendIn(mention());
      await nobody();
    });

    it("accounts that have read the message", async () => {
      const id = await sendIn(mention());
      await scene.as(receiver).post("/api/v1/messages/flags", {
        messages: [id],
        op: "add",
        flag: "read",
      });
      await nobody();
    });

    it("mentioned accounts that are not receivers, and accounts that have left the channel", async () => {
      const { db, org } = scene;
      const stranger = await user(db, org.realm);
      await device(db, stranger, { active: 5 });
      await sendIn(`${mention()} ${mention(stranger)}`);
      await db.prisma.subscription.updateMany({
        where: { userId: receiver.id },
        data: { active: false },
      });
      await nobody();
    });

    it("accounts that only have an alert word in the message", async () => {
      await alertWord(scene.db, receiver, "fire");
      await sendIn("fire!");
      await nobody();
    });

    it("deleted messages", async () => {
      const { org } = scene;
      const id = await sendIn(mention());
      await scene.as(org.owner).delete(`/api/v1/messages/${id}`);
      await nobody();
    });
  });

  describe("checks whether the account is online", () => {
    const isThere = async (seconds: number) =>
      scene.db.rows(
        `INSERT INTO user_presence (user_id, realm_id, active_at, idle_at)
         VALUES ($1, $2, now() - make_interval(secs => $3), now())`,
        [receiver.id, scene.org.realm.id, seconds],
      );
    const register = (params = {}) => scene.as(receiver).post("/api/v1/register", params);
    const away = () =>
      changeSettings(scene.db, receiver, { enable_online_push_notifications: false });

    it("with a client that receives messages and was active within 140 s", async () => {
      await away();
      await isThere(130);
      expect(await reason(mention())).to.deep.equal(["mention"]);
      await register({ event_types: ["presence"] });
      expect(await reason(mention())).to.deep.equal(["mention", "mention"]);
      await register({ event_types: ["message"] });
      expect(await reason(mention())).to.have.length(2);
      await scene.db.rows("UPDATE user_presence SET active_at = now() - interval '141 s'");
      expect(await reason(mention())).to.have.length(3);
    });

    it("but not for accounts that want notifications while online", async () => {
      await isThere(1);
      await register();
      expect(await reason(mention())).to.deep.equal(["mention"]);
    });

    it("but not for a client that has disconnected", async () => {
      await away();
      await isThere(1);
      await register();
      await scene.db.rows(
        "UPDATE event_queue SET last_seen = now() - interval '1 day' WHERE user_id = $1",
        [receiver.id],
      );
      expect(await reason(mention())).to.deep.equal(["mention"]);
    });
  });

  it("has one effect when it runs repeatedly", async () => {
    const { db } = scene;
    await sendIn(mention());
    const jobs = await runIntents(db, planPushes);
    expect(jobs).to.have.length(1);
    await db.prisma.jobIntent.updateMany({
      where: { job: planPushes.name },
      data: { state: "pending", finishedAt: null },
    });
    expect(await plannedPushes(db)).to.have.length(1);
  });

  it("splits many receivers into runs, and devices into calls, with the same number of statements", async () => {
    const { db } = scene;
    const people = await crowd(db, receiver, 1_300);
    await subscribe(db, room, ...people);
    await db.rows(
      `INSERT INTO client_devices (user_id, push_key, push_key_id, push_token_id, push_token_kind)
       SELECT id, decode(rpad('31', 66, '0'), 'hex'), 1, decode('0102030405060708', 'hex'), 'fcm'
       FROM unnest($1::int[]) AS id CROSS JOIN generate_series(1, 2)`,
      [people.map(({ id }) => id)],
    );
    await sendIn("@**all**");
    const first = await runOne();
    const sent = await pendingPayloads(db, sendPushes);
    expect(sent.map(({ pushes }) => pushes.length)).to.deep.equal([
      100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
    ]);
    const all = await plannedPushes(db);
    expect(new Set(all.map(({ userId }) => userId)).size).to.equal(1_301);
    expect(all).to.have.length(1_301);

    await sendIn(mention());
    await forgetIntents(db, sendPushes);
    expect(await runOne()).to.equal(first - 1, "all but the record of what is left");
  });

  /** Runs the first job; how many statements it took. */
  async function runOne(): Promise<number> {
    const { db } = scene;
    const [intent] = await db.prisma.jobIntent.findMany({
      where: { job: planPushes.name, state: "pending" },
    });
    if (!intent) throw new Error("nothing is to be planned");
    const { count } = await countQueries(db, () =>
      runJob(db, planPushes, { intentId: Number(intent.id), version: intent.version }),
    );
    return count;
  }
});
