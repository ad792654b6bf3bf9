import { getEvents, register, userStatusChanged } from "@carillon/contract";
import { leads } from "@carillon/scheduling";
import { collectGarbage, emit } from "@carillon/events";
import { clearEvents } from "@carillon/jobs";
import {
  lastEventSeq,
  organization,
  useDatabase,
  useGateway,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { setUnusedFor, untilItWaits } from "./support/open-polls.ts";

const hour = 3_600;
const day = 24 * hour;
const week = 7 * day;

// events.md §6, GC.
describe("collectGarbage", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let reader: TestAccount;

  beforeEach(async () => {
    // Queues and events of earlier tests would be deleted, too.
    await db.rows("DELETE FROM event_queue");
    await db.rows("DELETE FROM event_log");
    ({ member: reader } = await organization(db));
    await db.rows("DELETE FROM event_log");
  });

  it("deletes dead queues, and keeps polled ones", async () => {
    const dead = await registered(600);
    const polled = await registered(600);
    const quiet = await registered(week);
    const waiting = gateway.as(reader).succeed(getEvents, {
      params: { queue_id: polled.id, last_event_id: polled.last },
    });
    await untilItWaits(db, gateway, polled.id);
    await setUnusedFor(db, 1_000, [dead.id, polled.id, quiet.id]);
    await gateway.events.touch();
    expect(await collectGarbage(db)).to.deep.equal({ queues: 1, events: 0 });
    expect(await queues()).to.have.members([polled.id, quiet.id]);

    await write(1, 0);
    gateway.events.wake(reader.realmId);
    expect((await waiting).events, "the poll goes on").to.have.lengthOf(1);
    await expectGone(dead);
  });

  it("keeps events for the longest idle time-out of the organization's queues, and not longer", async () => {
    const { member: other } = await organization(db);
    await db.rows("DELETE FROM event_log");
    const longest = await registered(week);
    const short = await registered(600);
    for (const account of [reader, other]) {
      await write(10, 6 * day, account);
      await write(10, 5 * 60, account);
    }
    expect(await collectGarbage(db)).to.deep.equal({ queues: 0, events: 10 });
    expect(await eventsOf(other), "there nobody lives so long").to.equal(10);
    expect(await eventsOf(reader)).to.equal(20);
    const { events } = await poll(longest);
    expect(events).to.have.lengthOf(20);

    await db.rows("DELETE FROM event_queue WHERE queue_id = $1", [longest.id]);
    expect(await collectGarbage(db)).to.deep.equal({ queues: 0, events: 10 });
    expect(await eventsOf(reader)).to.equal(10);
    // Served by a gateway that never had the deleted events.
    const { events: rest } = await poll({ ...short, last: short.last + 10 * 1_024 });
    expect(rest).to.have.lengthOf(10);
  });

  it("deletes events too far behind for any queue, even if a queue with a week's time-out has not read them", async () => {
    const away = await registered(week);
    // Old enough to be deleted without that queue: a place may be 380 s older than a time-out of 600 s.
    await write(6_000, hour);
    await write(94_000, 900);
    expect(await cleared()).to.deep.equal([0]);
    expect((await poll(away)).events).not.to.deep.equal([]);
    await write(6_000, 0);
    expect(await cleared()).to.deep.equal([5_000, 1_000, 0]);
    expect(await eventsOf(reader)).to.equal(100_000);
    await expectGone(away);
    // The next events are too young: a poll in progress may still need them.
    await write(1_000, 0);
    expect(await cleared()).to.deep.equal([0]);
  });

  it("uses the time of an event's commit, not of its transaction's start", async () => {
    const written = await db.transaction(async (tx) => {
      const [row] = await tx.rows<{ late: string }>("SELECT clock_timestamp()::text AS late");
      emit(tx, reader.realmId, [userStatusChanged({ user_id: reader.id }, { audience: null })]);
      return row?.late;
    });
    const [row] = await db.rows<{ later: boolean }>(
      "SELECT created_at > $1::timestamptz AS later FROM event_log WHERE realm_id = $2",
      [written, reader.realmId],
    );
    expect(row?.later).to.equal(true);
  });

  it("does not affect clients that have received everything", async () => {
    await write(10, day);
    const queue = await registered(600);
    expect(await collectGarbage(db)).to.deep.equal({ queues: 0, events: 10 });
    const waiting = gateway.as(reader).succeed(getEvents, {
      params: { queue_id: queue.id, last_event_id: queue.last },
    });
    await untilItWaits(db, gateway, queue.id);
    await write(1, 0);
    gateway.events.wake(reader.realmId);
    expect((await waiting).events).to.have.lengthOf(1);
    expect((await poll(queue)).events).to.have.lengthOf(1);
  });

  it("deletes in batches until nothing is left", async () => {
    await write(12_000, day);
    await write(5, 0);
    expect(await cleared()).to.deep.equal([5_000, 5_000, 2_000, 0]);
    expect(await eventsOf(reader)).to.equal(5);
  });

  it("runs in one process at a time", async () => {
    await write(100, day);
    await db.transaction(async (tx) => {
      expect(await leads(tx, clearEvents)).to.equal(true);
      expect(await collectGarbage(db)).to.equal(undefined);
    });
    const both = await Promise.all([collectGarbage(db), collectGarbage(db)]);
    const cleared = both.map((deleted) => deleted?.events ?? 0);
    expect(cleared.toSorted((a, b) => a - b)).to.deep.equal([0, 100]);
    expect(await eventsOf(reader)).to.equal(0);
  });

  /** Returns how many events each batch deleted, until there was nothing left. */
  async function cleared(): Promise<number[]> {
    const batches: number[] = [];
    do batches.push((await collectGarbage(db))?.events ?? -1);
    while (batches.at(-1)! > 0);
    return batches;
  }

  interface Queue {
    readonly id: string;
    readonly last: number;
  }

  async function registered(idleTimeout: number): Promise<Queue> {
    const params = { fetch_event_types: [], idle_queue_timeout: idleTimeout };
    const answer = await gateway.as(reader).succeed(register, { params });
    return { id: answer.queue_id, last: answer.last_event_id };
  }

  function poll({ id, last }: Queue) {
    return gateway.as(reader).succeed(getEvents, {
      params: { queue_id: id, last_event_id: last, dont_block: true },
    });
  }

  async function expectGone({ id, last }: Queue): Promise<void> {
    const { body } = await gateway.as(reader).call(getEvents, {
      params: { queue_id: id, last_event_id: last },
    });
    expect(body).to.include({ code: "BAD_EVENT_QUEUE_ID", queue_id: id });
  }

  async function queues(): Promise<string[]> {
    const rows = await db.rows<{ id: string }>("SELECT queue_id AS id FROM event_queue");
    return rows.map(({ id }) => id);
  }

  /** Inserts events for all accounts that are `age` seconds old. */
  async function write(count: number, age: number, { realmId } = reader): Promise<void> {
    const head = await lastEventSeq(db, realmId);
    await db.transaction(async (tx) => {
      await tx.rows(
        `INSERT INTO event_log (realm_id, seq, type, payload, created_at)
         SELECT $1, $2::bigint + n, 'user_status', '{"user_id": 1}', now() - make_interval(secs => $4)
         FROM generate_series(1, $3::int) AS n`,
        [realmId, head, count, age],
      );
      await tx.rows("UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1", [realmId, count]);
    });
  }

  async function eventsOf({ realmId }: TestAccount): Promise<number> {
    const [row] = await db.rows<{ n: number }>(
      "SELECT count(*)::int AS n FROM event_log WHERE realm_id = $1",
      [realmId],
    );
    return row?.n ?? 0;
  }
});
