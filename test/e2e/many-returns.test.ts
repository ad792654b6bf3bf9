import { lockAudiencesShared } from "@carillon/model";
import {
  channel,
  countQueries,
  nth,
  send,
  type TestAccount,
  type TestChannel,
  toChannel,
  user,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { recordVisit, sendAway } from "./support/away-world.ts";

// docs/decisions/083
describe("People who come back at the same time", () => {
  const scene = useScene();
  let people: readonly TestAccount[];
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    people = await Promise.all([1, 2, 3].map(() => user(db, org.realm)));
    room = await channel(db, org.realm, { subscribers: [org.owner, ...people] });
  });

  const say = (to = room) => send(scene.as(scene.org.owner), toChannel(to.id));

  const read = (person: number) =>
    scene.as(nth(people, person)).get("/api/v1/messages", {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: "channel", operand: room.id }],
    });

  /** Runs `work` while a message is being sent to the channel. */
  const whileSending = <T>(work: () => Promise<T>): Promise<T> =>
    scene.db.transaction(async (tx) => {
      await lockAudiencesShared(tx, [room.id]);
      return work();
    });

  /** Repeats the request while it is answered 503, as a client does. */
  async function readSoon(person: number) {
    let answer = await read(person);
    await waitFor(
      async () => answer.status !== 503 || (answer = await read(person)).status !== 503,
      { what: "the copies exist" },
    );
    return answer;
  }

  async function untilReturning(count: number): Promise<void> {
    const waiting = async () => {
      const rows = await scene.db.rows(
        `SELECT FROM account_visits WHERE user_id = ANY($1) AND visited_at > now() - interval '1 hour'`,
        [people.map(({ id }) => id)],
      );
      return rows.length === count;
    };
    await waitFor(waiting, { what: `${count} people come back` });
  }

  it("wait for each other, and are answered when their copies exist", async () => {
    await sendAway(scene.db, ...people);
    const id = await say();
    const all = await whileSending(async () => {
      const reading = Promise.all([readSoon(0), readSoon(0), readSoon(1), readSoon(2)]);
      await untilReturning(3);
      return { reading };
    });
    for (const answer of await all.reading) {
      expect(answer.status).to.equal(200);
      const { messages } = answer.body as unknown as { messages: ReadonlyArray<{ id: number }> };
      expect(messages.map((message) => message.id)).to.deep.equal([id]);
    }
  });

  it("do not stop the messages to a channel that is busy", async () => {
    const person = nth(people, 0);
    await sendAway(scene.db, person);
    await say();
    let returning: Promise<unknown> = Promise.resolve();
    await whileSending(async () => {
      returning = recordVisit(scene.db, person, 60_000);
      await untilReturning(1);
      for (let n = 0; n < 3; n++) await say();
    });
    expect(await returning).to.equal(4);
  });

  it("wait longer with each try for the lock of a channel to which messages are sent all the time", async () => {
    const { db } = scene;
    const person = nth(people, 0);
    await sendAway(db, person);
    await say();
    let returning: Promise<unknown> = Promise.resolve();
    await whileSending(async () => {
      returning = recordVisit(db, person, 60_000);
      const waitsLong = async () => {
        const [row] = await db.rows<{ waits: boolean }>(
          `SELECT coalesce(max(clock_timestamp() - query_start), '0') > interval '1 second' AS waits FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return row?.waits ?? false;
      };
      await waitFor(waitsLong, { what: "the person waits for a second without a break" });
    });
    expect(await returning).to.equal(1);
  });

  it("finish all channels with few messages in one transaction", async () => {
    const { db, org } = scene;
    const person = nth(people, 0);
    const rooms: TestChannel[] = [];
    while (rooms.length < 8)
      rooms.push(await channel(db, org.realm, { subscribers: [org.owner, person] }));
    await sendAway(db, person);
    for (const to of rooms.slice(0, 4)) await say(to);
    const { result, statements } = await countQueries(db, () => recordVisit(db, person));
    expect(result).to.equal(4);
    expect(statements.filter((text) => text.includes("COMMIT"))).to.have.length(1);
  });

  it("make the copies of many missed messages of a channel, and of a range that has ended", async () => {
    const { db, org } = scene;
    const person = nth(people, 0);
    await sendAway(db, person);
    for (let n = 0; n < 25; n++) await say();
    await db.rows(
      "UPDATE messages SET sent_at = now() - interval '1 hour' WHERE recipient_id = $1",
      [room.recipientId],
    );
    await scene.as(org.owner).delete("/api/v1/users/me/subscriptions", {
      subscriptions: [room.name],
      principals: [person.id],
    });
    await say();
    expect(await recordVisit(db, person)).to.equal(25);
    const open = await db.rows(
      "SELECT FROM subscriptions WHERE user_id = $1 AND (deferred_after IS NOT NULL OR deferred_until IS NOT NULL)",
      [person.id],
    );
    expect(open).to.have.length(0);
  });

  it("get their copies although a gateway remembers a visit that a failover has lost", async () => {
    const { db } = scene;
    expect((await read(0)).status).to.equal(200);
    await sendAway(db, nth(people, 0));
    const id = await say();
    let lost = 0;
    db.pool.on("error", () => lost++);
    // Opens at least two connections, so that one is idle during the transaction.
    await Promise.all([db.rows("SELECT 1"), db.rows("SELECT 2")]);
    const idle = await db.transaction(async (tx) => {
      const { idleCount } = db.pool;
      await tx.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle'",
      );
      return idleCount;
    });
    expect(idle).to.be.at.least(1);
    // The request must not use a connection that has not noticed its end yet.
    await waitFor(() => lost >= idle, { what: "all idle connections are lost" });
    const { body } = await read(0);
    const { messages } = body as unknown as { messages: ReadonlyArray<{ id: number }> };
    expect(messages.map((message) => message.id)).to.deep.equal([id]);
    const copies = await db.rows(
      "SELECT FROM user_messages WHERE user_id = $1 AND message_id = $2",
      [nth(people, 0).id, id],
    );
    expect(copies).to.have.length(1);
  });
});
