import { lockClass } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import {
  channel,
  countWaiting,
  deliver,
  eventsSince,
  inChannel,
  lastEventSeq,
  makeDue,
  messagesOf,
  refusedWith,
  runJob,
  scheduledMessage,
  scheduledMessagesPath,
  storedRow,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a scheduled message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });

  const sent = async () =>
    (await messagesOf(scene.as(sender), inChannel(room.id))).map(({ content }) => content);
  /** Waits until this many statements wait for a lock. */
  const blocked = (count = 1) =>
    waitFor(async () => (await countWaiting(scene.db.pool)) >= count, {
      what: "a statement waits for the row",
    });

  it("is sent once when many jobs run at the same time", async () => {
    const { db, org } = scene;
    const rows = [];
    for (let n = 0; n < 30; n++) rows.push(await scheduledMessage(db, sender, room, { dueIn: -5 }));
    const second = Math.floor(Date.now() / 1_000) - 1;
    const jobs = Array.from({ length: 8 }, (_, tick) =>
      runJob(db, deliverDue, { realmId: org.realm.id, second, tick }),
    );
    await Promise.all(jobs);
    expect(await sent()).to.deep.equal(
      rows
        .toSorted((a, b) => a.deliverAt - b.deliverAt || a.id - b.id)
        .map(({ content }) => content),
    );
  });

  it("is sent by the job that counted its try, even if another job briefly holds the delivery lock", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room, { dueIn: -5 });
    const second = Math.floor(Date.now() / 1_000) - 1;
    const counted = async () => {
      const [stored] = await db.rows<{ attempts: number }>(
        "SELECT attempts FROM scheduled_messages WHERE id = $1",
        [row.id],
      );
      return stored?.attempts === 1;
    };
    const delivery = await db.transaction(async (holder) => {
      const job = await db.transaction(async (tx) => {
        // The job reads this table after the commit of its count, and before it takes the lock.
        await tx.rows("LOCK TABLE user_group_member IN ACCESS EXCLUSIVE MODE");
        const started = runJob(db, deliverDue, { realmId: org.realm.id, second, tick: 1 });
        await waitFor(counted, { what: "the try to be counted" });
        await holder.rows("SELECT pg_advisory_xact_lock($1, $2)", [
          lockClass.deliver,
          org.realm.id,
        ]);
        return { started };
      });
      await blocked();
      return job;
    });
    await delivery.started;
    expect(await sent()).to.deep.equal([row.content]);
  });

  it("is only marked as delivered when it was sent before", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room, { topic: "before" });
    const other = await scheduledMessage(db, sender, room, { content: "the other one" });
    const [message] = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, scheduled_message_id, sender_id, recipient_id, is_channel, topic,
         content, rendered_content, render_version, client_id)
       SELECT realm_id, id, sender_id, recipient_id, true, topic, content, rendered_content, 1, client_id
       FROM scheduled_messages WHERE id = $1 RETURNING id`,
      [row.id],
    );
    const seq = await lastEventSeq(db, org.realm.id);
    await makeDue(db, row.id);
    await makeDue(db, other.id);
    await deliver(db, org.realm);
    expect(await storedRow(db, row.id)).to.include({
      delivered: true,
      failed: false,
      deliveredMessageId: message?.id,
    });
    const events = await eventsSince(db, org.realm.id, seq);
    const removed = events.filter(({ type }) => type === "scheduled_messages");
    expect(
      removed.map(({ op, payload }) => [op, payload["scheduled_message_id"]]),
    ).to.have.deep.members([
      ["remove", row.id],
      ["remove", other.id],
    ]);
    const received = events.filter(({ type }) => type === "message");
    const contents = received.map(
      ({ payload }) => (payload["message"] as { content: string }).content,
    );
    expect(contents).to.have.length(1);
    const [{ count } = { count: 0 }] = await db.rows<{ count: number }>(
      "SELECT count(*) AS count FROM messages WHERE scheduled_message_id = ANY($1)",
      [[row.id, other.id]],
    );
    expect(count).to.equal(2);
  });

  it("rejects an edit that waited for its delivery", async () => {
    const { db } = scene;
    const row = await scheduledMessage(db, sender, room);
    const edit = await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM scheduled_messages WHERE id = $1 FOR NO KEY UPDATE", [row.id]);
      const answer = scene
        .as(sender)
        .patch(`${scheduledMessagesPath}/${row.id}`, { content: "too late" });
      await blocked();
      await tx.rows("UPDATE scheduled_messages SET delivered = true WHERE id = $1", [row.id]);
      return { answer };
    });
    refusedWith(await edit.answer);
    const [stored] = await db.rows<{ content: string }>(
      "SELECT content FROM scheduled_messages WHERE id = $1",
      [row.id],
    );
    expect(stored?.content).to.equal(row.content);
  });

  it("is sent in its edited form when the edit comes first", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room, { dueIn: -2 });
    const edit = await db.transaction(async (tx) => {
      await tx.rows("UPDATE scheduled_messages SET content = 'edited' WHERE id = $1", [row.id]);
      const delivered = deliver(db, org.realm);
      await blocked();
      return { delivered };
    });
    await edit.delivered;
    await deliver(db, org.realm);
    expect(await sent()).to.deep.equal(["edited"]);
  });

  it("is not sent before its new time when the edit comes first", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room, { dueIn: -2 });
    const other = await scheduledMessage(db, sender, room, { dueIn: -1 });
    const edit = await db.transaction(async (tx) => {
      await tx.rows(
        "UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) + interval '1 hour' WHERE id = $1",
        [row.id],
      );
      const delivered = deliver(db, org.realm);
      await blocked();
      return { delivered };
    });
    await edit.delivered;
    await deliver(db, org.realm);
    expect(await sent()).to.deep.equal([other.content]);
    expect(await storedRow(db, row.id)).to.include({ delivered: false, failed: false });
  });

  it("is not sent when a deletion comes first", async () => {
    const { db, org } = scene;
    const row = await scheduledMessage(db, sender, room, { dueIn: -2 });
    const deletion = await db.transaction(async (tx) => {
      await tx.rows("DELETE FROM scheduled_messages WHERE id = $1", [row.id]);
      const delivered = deliver(db, org.realm);
      await blocked();
      return { delivered };
    });
    await deletion.delivered;
    expect(await sent()).to.deep.equal([]);
  });

  it("is sent and then deleted when a deletion waited for its delivery", async () => {
    const { db } = scene;
    const row = await scheduledMessage(db, sender, room);
    const deletion = await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM scheduled_messages WHERE id = $1 FOR NO KEY UPDATE", [row.id]);
      const answer = scene.as(sender).delete(`${scheduledMessagesPath}/${row.id}`);
      await blocked();
      await tx.rows("UPDATE scheduled_messages SET delivered = true WHERE id = $1", [row.id]);
      return { answer };
    });
    succeededWithoutFields(await deletion.answer);
    expect(await storedRow(db, row.id)).to.equal(undefined);
  });
});
