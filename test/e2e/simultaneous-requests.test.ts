import {
  type Answer,
  channel,
  channelMessage,
  deliver,
  directMessage,
  inChannel,
  inSeconds,
  messagesOf,
  messagesPath,
  schedule,
  scheduledMessage,
  scheduledMessagesPath,
  scheduledOf,
  storedRow,
  succeeded,
  type TestAccount,
  type TestChannel,
  type TestScheduledMessage,
  toChannel,
  toUsers,
  unique,
  user,
  useScene,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

/** The number of concurrent requests. */
const atOnce = 10;

describe("Concurrent requests", () => {
  const scene = useScene();
  let sender: TestAccount;
  let other: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = await user(scene.db, scene.org.realm);
    other = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, other] });
  });

  const all = (request: (n: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: atOnce }, (_, n) => request(n)));
  const allSucceed = async (request: (n: number) => Promise<Answer>) =>
    (await all(request)).map((answer) => succeeded(answer));

  it("create one conversation", async () => {
    const pair = [sender, other] as const;
    await allSucceed((n) => {
      const [from, to] = n % 2 === 0 ? pair : [other, sender];
      return scene.as(from).post(messagesPath, toUsers([to.id]));
    });
    const talk = await messagesOf(scene.as(sender), withUsers(other.id));
    expect(talk).to.have.length(atOnce);
  });

  it("schedule into one new conversation", async () => {
    await allSucceed(() => scene.as(sender).post(scheduledMessagesPath, directMessage([other.id])));
    expect(await scheduledOf(scene.as(sender))).to.have.length(atOnce);
  });

  it("start one topic, and follow it once", async () => {
    await allSucceed(() => scene.as(sender).post(messagesPath, toChannel(room.id)));
    const rows = await scene.db.rows<{ policy: number }>(
      "SELECT visibility_policy AS policy FROM user_topics WHERE user_id = $1",
      [sender.id],
    );
    expect(rows).to.deep.equal([{ policy: 3 }]);
    expect(await messagesOf(scene.as(sender), inChannel(room.id))).to.have.length(atOnce);
  });

  it("store one new client name", async () => {
    const client = unique("client");
    await allSucceed(() => scene.as(sender).post(messagesPath, toChannel(room.id, { client })));
    const sent = await messagesOf(scene.as(sender), inChannel(room.id));
    expect(new Set(sent.map((message) => message.client))).to.deep.equal(new Set([client]));
  });

  it("edit one row one after another", async () => {
    const id = await schedule(scene.as(sender), channelMessage(room.id));
    await allSucceed((n) =>
      scene.as(sender).patch(`${scheduledMessagesPath}/${id}`, { content: `${n}` }),
    );
    expect((await storedRow(scene.db, id))?.version).to.equal(1 + atOnce);
  });

  it("delete one row once, also during edits", async () => {
    const id = await schedule(scene.as(sender), channelMessage(room.id));
    const answers = await all((n) =>
      n % 2 === 0
        ? scene.as(sender).delete(`${scheduledMessagesPath}/${id}`)
        : scene.as(sender).patch(`${scheduledMessagesPath}/${id}`, { content: `${n}` }),
    );
    for (const answer of answers) expect(answer.status, answer.text).to.be.oneOf([200, 404]);
    const deletions = answers.filter((answer, n) => n % 2 === 0 && answer.status === 200);
    expect(deletions).to.have.length(1);
    expect(await storedRow(scene.db, id)).to.equal(undefined);
  });

  it("send during delivery: no message is refused, lost or duplicated", async () => {
    const { db, org } = scene;
    for (let n = 0; n < 60; n++)
      await scheduledMessage(db, sender, room, { dueIn: -3, topic: "x" });
    const delivery = deliver(db, org.realm);
    await allSucceed((n) =>
      scene.as(n % 2 === 0 ? sender : other).post(messagesPath, toChannel(room.id, { topic: "x" })),
    );
    await delivery;
    expect(await messagesOf(scene.as(sender), inChannel(room.id))).to.have.length(60 + atOnce);
  });

  it("edit and delete during delivery: each message is either sent or deleted, as reported", async () => {
    const { db, org } = scene;
    const rows: TestScheduledMessage[] = [];
    for (let n = 0; n < 3 * atOnce; n++)
      rows.push(await scheduledMessage(db, sender, room, { dueIn: -3 }));
    const later = { content: "later", scheduled_delivery_timestamp: inSeconds(3_600) };
    const client = scene.as(sender);
    const [edits, deletions] = await Promise.all([
      all((n) => client.patch(`${scheduledMessagesPath}/${rows[3 * n]?.id}`, later)),
      all((n) => client.delete(`${scheduledMessagesPath}/${rows[3 * n + 1]?.id}`)),
      deliver(db, org.realm),
    ]);
    await deliver(db, org.realm);
    const sent = (await messagesOf(client, inChannel(room.id))).map(({ content }) => content);
    expect(new Set(sent).size).to.equal(sent.length);
    for (let n = 0; n < atOnce; n++) {
      const [edited, deleted, untouched] = rows.slice(3 * n, 3 * n + 3);
      expect(sent).to.include(untouched?.content);
      expect(edits[n]?.status).to.equal(sent.includes(edited?.content ?? "") ? 400 : 200);
      expect(deletions[n]?.status, "a delivered row may be deleted").to.equal(200);
      expect(await storedRow(db, deleted?.id ?? 0)).to.equal(undefined);
    }
    expect(sent).not.to.include("later");
  });
});
