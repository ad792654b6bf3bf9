import {
  channel,
  channelMessage,
  directMessage,
  fallDue,
  forEachBackend,
  inChannel,
  inSeconds,
  messagesOf,
  noticesTo,
  organization,
  recordOf,
  schedule,
  scheduledMessage,
  scheduledMessagesPath,
  scheduledOf,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
  useQueues,
  useWorker,
  waitFor,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

forEachBackend("From a scheduled message to a sent one", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const gateway = useGateway(db, { queues });
  useWorker(db, queues);
  let org: TestOrganization;
  let sender: TestAccount;
  let room: TestChannel;

  before(async () => {
    org = await organization(db);
    sender = org.member;
  });
  beforeEach(async () => {
    room = await channel(db, org.realm, { subscribers: [sender, org.guest] });
  });

  let hours = 0;
  /** A time that no other test uses. */
  const later = () => ({ scheduled_delivery_timestamp: inSeconds(3_600 + 10 * ++hours) });
  const fall = () => fallDue(db, queues, org.realm.id);
  const arrived = (account: TestAccount, narrow: readonly object[], count = 1) =>
    waitFor(
      async () => {
        const messages = await messagesOf(gateway.as(account), narrow);
        return messages.length >= count && messages;
      },
      { what: `${count} messages have arrived` },
    );

  it("sends to a channel when it is due, not before", async () => {
    const client = gateway.as(sender);
    const due = inSeconds(6);
    await schedule(client, channelMessage(room.id, { scheduled_delivery_timestamp: due }));
    const [message, ...more] = await arrived(org.guest, inChannel(room.id));
    expect(more).to.deep.equal([]);
    expect(message).to.include({ content: "hello", sender_id: sender.id });
    expect(message?.timestamp).to.be.at.least(due);
    expect(await scheduledOf(client)).to.deep.equal([]);
  });

  it("sends to people", async () => {
    await schedule(gateway.as(sender), directMessage([org.admin.id], later()));
    await fall();
    const [message] = await arrived(org.admin, withUsers(sender.id));
    expect(message).to.include({ content: "hello", type: "private" });
  });

  it("sends messages due in the same second in the order of their creation", async () => {
    const time = later();
    const contents = Array.from({ length: 20 }, (_, n) => `${n}`);
    for (const content of contents) {
      await schedule(gateway.as(sender), channelMessage(room.id, { ...time, content }));
    }
    await fall();
    const sent = await arrived(org.guest, inChannel(room.id), contents.length);
    expect(sent.map(({ content }) => content)).to.deep.equal(contents);
  });

  it("sends an edited message once, at its new time and with its new content", async () => {
    const client = gateway.as(sender);
    const id = await schedule(client, channelMessage(room.id, later()));
    const edit = { content: "edited", ...later() };
    succeededWithoutFields(await client.patch(`${scheduledMessagesPath}/${id}`, edit));
    await schedule(client, channelMessage(room.id, { content: "last", ...later() }));
    await fall();
    const sent = await arrived(org.guest, inChannel(room.id), 2);
    expect(sent.map(({ content }) => content)).to.deep.equal(["edited", "last"]);
  });

  it("does not send a deleted message", async () => {
    const client = gateway.as(sender);
    const time = later();
    const id = await schedule(client, channelMessage(room.id, time));
    succeededWithoutFields(await client.delete(`${scheduledMessagesPath}/${id}`));
    await schedule(client, channelMessage(room.id, { content: "kept", ...time }));
    await fall();
    const sent = await arrived(org.guest, inChannel(room.id));
    expect(sent.map(({ content }) => content)).to.deep.equal(["kept"]);
  });

  it("notifies the sender of a failure, and sends once the cause is gone and a new time is set", async () => {
    const client = gateway.as(sender);
    const id = await schedule(client, channelMessage(room.id, later()));
    await db.rows("UPDATE channels SET is_archived = true WHERE id = $1", [room.id]);
    await fall();
    const failed = await waitFor(async () => (await recordOf(client, id)).failed, {
      what: "the message has failed",
    });
    expect(failed).to.equal(true);
    expect(await noticesTo(client, org.notificationBot)).to.have.length(1);
    await db.rows("UPDATE channels SET is_archived = false WHERE id = $1", [room.id]);
    succeededWithoutFields(await client.patch(`${scheduledMessagesPath}/${id}`, later()));
    await fall();
    const sent = await arrived(org.guest, inChannel(room.id));
    expect(sent.map(({ content }) => content)).to.deep.equal(["hello"]);
  });

  it("sends a due message without a delivery job with the next delivery job", async () => {
    const lost = await scheduledMessage(db, sender, room, { dueIn: -20 });
    await schedule(gateway.as(org.admin), channelMessage(room.id, later()));
    await fall();
    const sent = await arrived(org.guest, inChannel(room.id), 2);
    expect(sent[0]?.content).to.equal(lost.content);
  });
});
