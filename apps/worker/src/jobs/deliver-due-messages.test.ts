import {
  alertWord,
  changeChannel,
  channel,
  channelMessage,
  deliver,
  deliverNow,
  directMessage,
  inChannel,
  makeDue,
  messagesOf,
  muteUser,
  organization,
  runJob,
  schedule,
  scheduleAndRead,
  scheduledMessage,
  scheduledOf,
  storedRow,
  type TestAccount,
  type TestChannel,
  user,
  useScene,
  withUsers,
} from "@carillon/testkit";
import { deliverDue } from "@carillon/jobs";
import { expect } from "chai";

describe("the delivery of scheduled messages", () => {
  const scene = useScene();
  let room: TestChannel;
  let sender: TestAccount;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.guest] });
  });

  const copies = (account: TestAccount, of = room) =>
    messagesOf(scene.as(account), inChannel(of.id));
  const contents = async (account: TestAccount, of = room) =>
    (await copies(account, of)).map(({ content }) => content);

  it("sends a channel message once, and removes it from the list", async () => {
    const { db, org } = scene;
    const params = channelMessage(room.id, { topic: " Tea ", content: "*hot*\n" });
    const { scheduled_message_id: id } = await scheduleAndRead(scene.as(sender), params);
    await deliverNow(db, org.realm, [id]);
    await deliver(db, org.realm);
    const [message, ...more] = await copies(org.guest);
    expect(more).to.deep.equal([]);
    expect(message).to.include({
      type: "stream",
      sender_id: sender.id,
      stream_id: room.id,
      subject: "Tea",
      content: "*hot*",
      client: "node",
      display_recipient: room.name,
    });
    expect(await storedRow(db, id)).to.include({
      delivered: true,
      failed: false,
      deliveredMessageId: message?.id,
    });
    const list = await scheduledOf(scene.as(sender));
    expect(list.map((record) => record.scheduled_message_id)).not.to.include(id);
  });

  it("sends a message that an earlier version scheduled for a new topic with an invisible character", async () => {
    const { db, org } = scene;
    const { id } = await scheduledMessage(db, sender, room, { topic: "Te\u200ba", dueIn: -1 });
    await deliver(db, org.realm);
    expect((await copies(org.guest)).map(({ subject }) => subject)).to.deep.equal(["Te\u200ba"]);
    expect(await storedRow(db, id)).to.include({ delivered: true, failed: false });
  });

  it("stamps the time of sending, never before the scheduled one", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room);
    const [before] = await db.rows<{ now: number }>(
      "SELECT extract(epoch FROM now())::float8 AS now",
    );
    await deliverNow(db, org.realm, [row.id], 300);
    const [message] = await copies(sender);
    expect(message?.timestamp).to.be.at.least(Math.floor(before?.now ?? 0));
  });

  it("does not send a message one second before its time", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room);
    await makeDue(db, row.id, 3);
    await runJob(db, deliverDue, { realmId: org.realm.id, second: Math.floor(row.deliverAt) });
    const [found] = await db.rows<{ done: boolean; early: boolean }>(
      "SELECT delivered OR failed AS done, deliver_at > now() AS early FROM scheduled_messages WHERE id = $1",
      [row.id],
    );
    expect(found?.done && found.early, "done before its time").to.equal(false);
    if (!found?.done) expect(await contents(sender)).to.deep.equal([]);
    await makeDue(db, row.id, 3_600);
  });

  it("sends direct messages to everyone in them, and notes to oneself", async () => {
    const { db, org } = scene;
    const { admin, guest } = org;
    const group = directMessage([guest.id, admin.id], { content: "us" });
    const note = directMessage([sender.id], { content: "me" });
    const ids = [await schedule(scene.as(sender), group), await schedule(scene.as(sender), note)];
    await deliverNow(db, org.realm, ids);
    const everyone = [sender.id, guest.id, admin.id].toSorted((a, b) => a - b);
    for (const account of [sender, guest, admin]) {
      const [message, ...more] = await messagesOf(scene.as(account), withUsers(...everyone));
      expect(more).to.deep.equal([]);
      expect(message).to.include({ type: "private", content: "us", subject: "" });
      const people = message?.display_recipient as ReadonlyArray<{ id: number }>;
      expect(people.map(({ id }) => id)).to.deep.equal(everyone);
    }
    const notes = await messagesOf(scene.as(sender), withUsers(sender.id));
    expect(notes.map(({ content, flags }) => ({ content, flags }))).to.deep.equal([
      { content: "me", flags: [] },
    ]);
  });

  it("sends in the order of time, then id", async () => {
    const { db, org } = scene;
    const rows = [];
    for (let n = 0; n < 6; n++)
      rows.push(await scheduledMessage(db, sender, room, { content: `${n}` }));
    const lateness = [5, 9, 5, 1, 9, 5];
    for (const n of [3, 5, 4, 0, 2, 1]) await makeDue(db, rows[n]?.id ?? 0, -(lateness[n] ?? 0));
    const dues = await db.rows<{ n: string }>(
      "SELECT content AS n FROM scheduled_messages WHERE id = ANY($1) ORDER BY deliver_at, id",
      [rows.map(({ id }) => id)],
    );
    await deliver(db, org.realm);
    const sent = await contents(sender);
    expect(sent).to.deep.equal(dues.map(({ n }) => n));
    expect(sent.slice(-1)).to.deep.equal(["3"]);
  });

  it("sends messages of one second in the order of their creation, between senders too", async () => {
    const { db, org } = scene;
    const rows = [];
    for (const account of [org.admin, sender, org.owner, sender, org.admin]) {
      rows.push(await scheduledMessage(db, account, room));
    }
    await db.rows(
      "UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - interval '2 s' WHERE id = ANY($1)",
      [rows.map(({ id }) => id)],
    );
    await deliver(db, org.realm);
    expect(await contents(sender)).to.deep.equal(rows.map(({ content }) => content));
  });

  it("renders again with the names and flags at delivery", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    const busy = await channel(db, org.realm, { subscribers: [sender, friend, org.guest] });
    const content = `@**|${friend.id}** about cake`;
    const id = await schedule(scene.as(sender), channelMessage(busy.id, { content }));
    const name = `Renamed ${friend.id}`;
    await db.prisma.user.update({ where: { id: friend.id }, data: { fullName: name } });
    await alertWord(db, org.guest, "cake");
    await deliverNow(db, org.realm, [id]);
    const [rendered] = await db.rows<{ html: string }>(
      "SELECT rendered_content AS html FROM messages WHERE scheduled_message_id = $1",
      [id],
    );
    expect(rendered?.html).to.equal(
      `<p><span class="user-mention" data-user-id="${friend.id}">@${name}</span> about cake</p>`,
    );
    expect((await copies(friend, busy))[0]?.flags).to.deep.equal(["mentioned"]);
    expect((await copies(org.guest, busy))[0]?.flags).to.deep.equal(["has_alert_word"]);
  });

  it("gives accounts that muted the sender a read copy, and a sender outside the channel none", async () => {
    const { db, org } = scene;
    const outside = await user(db, org.realm);
    await muteUser(db, org.guest, outside);
    const id = await schedule(scene.as(outside), channelMessage(room.id));
    await deliverNow(db, org.realm, [id]);
    expect((await copies(org.guest))[0]?.flags).to.deep.equal(["read"]);
    expect((await copies(sender))[0]?.flags).to.deep.equal([]);
    const own = await db.rows<object>(
      `SELECT FROM user_messages u JOIN messages m ON m.id = u.message_id
       WHERE m.scheduled_message_id = $1 AND u.user_id = $2`,
      [id, outside.id],
    );
    expect(own).to.have.length(0);
  });

  it("keeps organizations apart", async () => {
    const { db, org } = scene;
    const other = await organization(db);
    const away = await channel(db, other.realm, { subscribers: [other.member] });
    const theirs = await scheduledMessage(db, other.member, away, { dueIn: -5 });
    const ours = await scheduledMessage(db, sender, room, { dueIn: -5 });
    await deliver(db, org.realm);
    expect((await storedRow(db, ours.id))?.delivered).to.equal(true);
    expect((await storedRow(db, theirs.id))?.delivered).to.equal(false);
  });

  it("delivers in batches of at most 200, in one order over all of them", async () => {
    const { db, org } = scene;
    const first = await scheduledMessage(db, sender, room, { dueIn: -30, content: "0" });
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
         rendered_content, client_id, deliver_at, read_by_sender)
       SELECT realm_id, sender_id, recipient_id, channel_id, topic, n::text, '', client_id,
         deliver_at + make_interval(secs => n / 100), false
       FROM scheduled_messages, generate_series(1, 1050) AS n WHERE id = $1`,
      [first.id],
    );
    await deliver(db, org.realm);
    const sent = await db.rows<{ n: number }>(
      "SELECT content::int AS n FROM messages WHERE recipient_id = $1 ORDER BY id",
      [room.recipientId],
    );
    expect(sent.map(({ n }) => n)).to.deep.equal(Array.from({ length: 1_051 }, (_, n) => n));
  });

  it("is sent after its channel was renamed and archived for a while, and the role of its sender changed", async () => {
    const { db, org } = scene;
    const id = await schedule(scene.as(sender), channelMessage(room.id, { content: "still" }));
    const name = `renamed ${room.id}`;
    await changeChannel(db, room, { isArchived: true, name });
    await changeChannel(db, room, { isArchived: false });
    await db.prisma.user.update({ where: { id: sender.id }, data: { role: 300 } });
    await deliverNow(db, org.realm, [id]);
    await db.prisma.user.update({ where: { id: sender.id }, data: { role: 400 } });
    const [message] = await copies(sender);
    expect(message).to.include({ content: "still", display_recipient: name });
  });

  it("sends nothing after its user or channel was deleted", async () => {
    const { db, org } = scene;
    const leaver = await user(db, org.realm);
    const rows = [
      await scheduledMessage(db, leaver, room),
      await scheduledMessage(
        db,
        sender,
        await channel(db, org.realm, { name: `doomed ${leaver.id}` }),
      ),
    ];
    await db.rows("DELETE FROM users WHERE id = $1", [leaver.id]);
    await db.rows("DELETE FROM channels WHERE name = $1", [`doomed ${leaver.id}`]);
    for (const { id } of rows) expect(await storedRow(db, id)).to.equal(undefined);
    await deliver(db, org.realm);
  });
});
