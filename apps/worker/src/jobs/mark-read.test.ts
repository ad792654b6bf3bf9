import { removeSubscriptions, updateSubscriptions } from "@carillon/contract";
import { recordMarkRead } from "@carillon/domain";
import { markRead } from "@carillon/jobs";
import {
  bot,
  changeChannel,
  changesOf,
  channel,
  countQueries,
  eventsOf,
  killedAfter,
  type LoggedEvent,
  runJob,
  send,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §11
describe("Unread messages of a channel that the account has left", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [reader, scene.org.owner] });
  });

  const say = (where: TestChannel = room) => send(scene.as(scene.org.owner), toChannel(where.id));
  const leave = (account = reader, principals?: number[]) =>
    scene.as(account).succeed(removeSubscriptions, {
      params: { subscriptions: [room.name], principals },
    });

  async function unread({ id }: TestAccount): Promise<number[]> {
    const rows = await scene.db.rows<{ id: number }>(
      "SELECT message_id AS id FROM user_messages WHERE user_id = $1 AND flags & 1 = 0 ORDER BY 1",
      [id],
    );
    return rows.map((row) => row.id);
  }

  interface Pending {
    readonly intentId: number;
    readonly version: number;
  }

  const pending = () =>
    scene.db.rows<Pending>(
      `SELECT id AS "intentId", version FROM job_intent WHERE job = 'mark-read' AND state = 'pending' ORDER BY id`,
    );

  async function oldest(): Promise<Pending> {
    for (const step of await pending()) return step;
    throw new Error("no intent is pending");
  }

  /** Runs pending jobs, each this many times, until none are left. @returns the number of steps */
  async function mark(times = 1): Promise<number> {
    let steps = 0;
    for (let jobs = await pending(); jobs.length > 0; jobs = await pending())
      for (const { intentId, version } of jobs) {
        steps++;
        for (let n = 0; n < times; n++) await runJob(scene.db, markRead, { intentId, version });
      }
    return steps;
  }

  const received = (events: readonly LoggedEvent[]) =>
    events
      .filter(({ type }) => type === "update_message_flags")
      .map(({ op, payload, audience }) => ({ op, ...payload, audience }));

  it("are marked as read, and no others, and the account's clients are notified", async () => {
    const other = await channel(scene.db, scene.org.realm, { subscribers: [reader] });
    const kept = [
      await say(other),
      await send(scene.as(scene.org.owner), toUsers([reader.id])),
    ].toSorted((a, b) => a - b);
    const mine = [await say(), await say()];
    await leave();
    expect(await unread(reader)).to.deep.equal([...kept, ...mine]);
    const { events } = await eventsOf(scene.db, scene.org.realm.id, () => mark(2));
    expect(await unread(reader)).to.deep.equal(kept);
    expect(received(events)).to.deep.equal([
      {
        op: "add",
        operation: "add",
        flag: "read",
        messages: mine,
        all: false,
        audience: [reader.id],
      },
    ]);
  });

  it("are marked as read after every kind of unsubscription", async () => {
    await say();
    await leave(scene.org.owner, [reader.id]);
    await mark();
    expect(await unread(reader)).to.deep.equal([]);
    await subscribe(scene.db, room, reader);
    await say();
    await scene.as(reader).succeed(updateSubscriptions, { params: { delete: [room.name] } });
    await mark();
    expect(await unread(reader)).to.deep.equal([]);
  });

  it("stay unread if they were sent after the account was subscribed again", async () => {
    await say();
    await leave();
    await subscribe(scene.db, room, reader);
    const since = await say();
    await mark();
    expect(await unread(reader)).to.deep.equal([since]);
  });

  it("need no job for an account that was not subscribed", async () => {
    await leave();
    await mark();
    await leave();
    expect(await pending()).to.deep.equal([]);
  });

  it("are marked as read in steps, each once, after an interruption anywhere", async () => {
    const { db, org } = scene;
    const many = 12_000;
    const first = await say();
    await db.rows(
      `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, sent_at, client_id, has_link, has_image, has_attachment, search)
       SELECT nextval('messages_id_seq'), realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, sent_at, client_id, has_link, has_image, has_attachment, search
       FROM messages, generate_series(2, $2) WHERE id = $1`,
      [first, many],
    );
    await db.rows(
      `INSERT INTO user_messages (user_id, message_id, flags)
       SELECT $1, id, 0 FROM messages WHERE recipient_id = $2 AND id > $3`,
      [reader.id, room.recipientId, first],
    );
    const mine = await unread(reader);
    expect(mine).to.have.length(many);
    await leave();
    const { events } = await eventsOf(db, org.realm.id, async () => {
      const step = await oldest();
      // The transaction of a killed worker is rolled back, and the next worker begins the step again.
      await db
        .transaction(async (tx) => {
          await tx.rows("UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1", [
            reader.id,
          ]);
          throw new Error("killed");
        })
        .catch(() => {});
      const { statements } = await countQueries(db, () => runJob(db, markRead, step));
      expect(statements.length).to.be.below(10);
      expect(await unread(reader)).to.have.length(many - 10_000);
      expect(await mark(2)).to.equal(1);
    });
    expect(await unread(reader)).to.deep.equal([]);
    const messages = received(events).flatMap(
      (event) => (event as { messages?: number[] }).messages,
    );
    expect(messages).to.deep.equal(mine);
  });

  it("are marked as read once, after a kill of the worker before any statement", async () => {
    const { db, org } = scene;
    const mine = [await say(), await say()];
    await leave();
    const step = await oldest();
    const { events } = await eventsOf(db, org.realm.id, async () => {
      for (let kills = 0, again = true; again; kills++) {
        const { result: killed, tables } = await changesOf(db, () =>
          killedAfter(db, kills, (own) => runJob(own, markRead, step)),
        );
        again = killed && tables.length === 0;
        if (again) expect(await unread(reader)).to.deep.equal(mine);
      }
      await mark();
    });
    expect(await unread(reader)).to.deep.equal([]);
    expect(received(events)).to.have.length(1);
  });

  it("are marked as read once when the job runs several times concurrently", async () => {
    const { db, org } = scene;
    await say();
    await leave();
    const step = await oldest();
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all([1, 2, 3].map(() => runJob(db, markRead, step))),
    );
    expect(received(events)).to.have.length(1);
    expect(await pending()).to.deep.equal([]);
  });

  it("stay unread if the worker freezes before its commit, and are marked by the next worker", async () => {
    const { db, org } = scene;
    const mine = [await say()];
    await leave();
    const step = await oldest();
    await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [org.realm.id]);
    const frozen = runJob(db, markRead, step).catch((error: unknown) => error);
    await blocker.untilWaiting(1, "the worker is about to commit");
    // PostgreSQL ends the session of a frozen process in the same way, when its transaction is idle for too long.
    await db.rows(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(await frozen).to.be.instanceOf(Error);
    await blocker.release();
    expect(await unread(reader)).to.deep.equal(mine);
    await mark();
    expect(await unread(reader)).to.deep.equal([]);
  });

  it("stay unread if they are sent during the job, after a new subscription", async () => {
    const { db } = scene;
    await say();
    await leave();
    const step = await oldest();
    await subscribe(db, room, reader);
    const since = [await say()];
    await Promise.all([runJob(db, markRead, step), say().then((id) => since.push(id))]);
    expect(await unread(reader)).to.deep.equal(since);
  });

  it("are marked as read after leaving the channel for the second time, too", async () => {
    const first = [await say()];
    await leave();
    await subscribe(scene.db, room, reader);
    first.push(await say());
    await leave();
    // Both are still to be done, in either order.
    const jobs = (await pending()).toReversed();
    expect(jobs).to.have.length(2);
    const { events } = await eventsOf(scene.db, scene.org.realm.id, async () => {
      for (const job of jobs) await runJob(scene.db, markRead, job);
    });
    expect(
      received(events).flatMap((event) => (event as { messages?: number[] }).messages),
    ).to.have.members(first);
    expect(await unread(reader)).to.deep.equal([]);
  });

  it("of bots and of archived channels are marked as read, too", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.owner);
    await subscribe(db, room, robot);
    await say();
    await changeChannel(db, room, { isArchived: true });
    await leave(org.owner, [robot.id]);
    await mark();
    expect(await unread(robot)).to.deep.equal([]);
    expect(await unread(reader)).to.have.length(1);
  });

  it("of thousands of people are marked by jobs of a thousand accounts each, with one event for equal messages", async () => {
    const { db, org } = scene;
    const people = Array.from({ length: 2_500 }, (_, n) => 1_000_000 + n);
    const message = await say();
    await db.rows(
      "INSERT INTO user_messages (user_id, message_id, flags) SELECT unnest($1::int[]), $2, 0",
      [people, message],
    );
    await db.transaction((tx) =>
      recordMarkRead(
        tx,
        org.realm.id,
        people.map((userId) => ({ channelId: room.id, userId })),
      ),
    );
    const { result, events } = await eventsOf(db, org.realm.id, () => mark());
    expect(result).to.equal(3);
    expect(received(events)).to.have.length(3);
    expect(received(events).flatMap(({ audience }) => audience)).to.have.members(people);
  });
});
