import {
  type NewEvent,
  alertWordsChanged,
  deleteEventQueue,
  getEvents,
  register,
  sendMessage,
  userStatusChanged,
  userUpdated,
} from "@carillon/contract";
import { emit } from "@carillon/events";
import {
  channel,
  type Gateway,
  organization,
  refusedWith,
  startGateway,
  type TestAccount,
  useDatabase,
  useGateway,
  user,
  waitUntil,
} from "@carillon/testkit";
import { expect } from "chai";

type Organization = Awaited<ReturnType<typeof organization>>;
interface Queue {
  readonly queue_id: string;
  readonly last_event_id: number;
}

// events.md §2, §5, §6: polls during other events, on two gateways of one database.
describe("Polls", () => {
  const db = useDatabase();
  // No heartbeats while a test waits for other events.
  const never = { heartbeatMs: [600_000, 600_000] as const, logReadMs: 100 };
  const a = useGateway(db, { events: never });
  const b = useGateway(db, { events: never });
  let org: Organization;
  let room: Awaited<ReturnType<typeof channel>>;

  before(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.owner] });
  });

  const registered = (account: TestAccount, params: Record<string, unknown> = {}): Promise<Queue> =>
    a.as(account).succeed(register, { params: { fetch_event_types: [], ...params } });
  const ask = (gateway: Gateway, account: TestAccount, queue: Queue, block: boolean) =>
    gateway.as(account).call(getEvents, { params: { ...queue, dont_block: !block } });
  const received = async (gateway: Gateway, account: TestAccount, queue: Queue, block = false) => {
    const { status, body } = await ask(gateway, account, queue, block);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as { events: Array<Record<string, unknown> & { id: number; type: string }> })
      .events;
  };
  /** Returns the queue after its client has acknowledged the event. */
  const after = (queue: Queue, event: { readonly id: number } | undefined): Queue => {
    if (!event) throw new Error("there is no event");
    return { ...queue, last_event_id: event.id };
  };
  const isOpen = (gateway: Gateway) =>
    waitUntil("the open poll", () => gateway.events.counters.waiting === 1);
  const write = (...events: NewEvent[]) =>
    db.transaction(async (tx) => emit(tx, org.realm.id, events));
  /** Appends an event that no account receives. */
  const grow = () => write(userStatusChanged({ user_id: 0 }, { audience: null }));
  const words = (i: number, account: TestAccount) =>
    alertWordsChanged({ alert_words: [`${i}`] }, { audience: [account.id] });
  const say = (content: string) =>
    a.as(org.owner).succeed(sendMessage, {
      params: { type: "channel", to: room.id, topic: "polls", content },
    });
  const changed = (account: TestAccount, change: { is_active: boolean } | { role: number }) =>
    write(userUpdated({ person: { user_id: account.id, ...change } }, { audience: null }));

  it("are answered while the log grows continuously", async () => {
    const queue = await registered(org.member, { event_types: ["presence"] });
    let over = false;
    const writer = async () => {
      while (!over) await grow();
    };
    const writers = Array.from({ length: 4 }, writer);
    try {
      for (let i = 0; i < 20; i++) await received(i % 2 === 0 ? a : b, org.member, queue);
    } finally {
      over = true;
      await Promise.all(writers);
    }
  });

  it("return events committed before them, on any gateway", async () => {
    let queue = await registered(org.member, { event_types: ["alert_words"] });
    for (let i = 0; i < 40; i++) {
      await write(words(i, org.member));
      const [event, ...more] = await received(i % 2 === 0 ? b : a, org.member, queue);
      expect(event?.["alert_words"]).to.deep.equal([`${i}`]);
      expect(more).to.deep.equal([]);
      queue = after(queue, event);
    }
  });

  // Clients of waiting polls would hang up before each heartbeat; polls that do not wait never get one.
  for (const block of [false, true])
    for (const limits of [undefined, { events: 1, weight: 64_000_000 }])
      it(`that ${block ? "wait" : "do not wait"} move forward before the log is truncated behind them, ${limits ? "beyond" : "within"} the gateway's memory`, async () => {
        const queue = await registered(org.guest, { event_types: ["presence"] });
        for (let i = 0; i < 3; i++) await grow();
        expect(await received(a, org.guest, queue), "nothing that is new").to.deep.equal([]);
        await db.rows("UPDATE event_log SET created_at = now() - interval '2 minutes'");
        const next = await startGateway(db, { events: { ...never, ...(limits && { limits }) } });
        try {
          const [beat] = await received(next, org.guest, queue, block);
          expect(beat).to.have.all.keys("id", "type").and.include({ type: "heartbeat" });
          await db.rows("DELETE FROM event_log WHERE seq < (SELECT max(seq) FROM event_log)");
          expect(await received(next, org.guest, after(queue, beat)), "after it").to.deep.equal([]);
        } finally {
          await next.close();
        }
        const later = await startGateway(db, { events: never });
        try {
          // A position that the log no longer has.
          const answer = await ask(later, org.guest, queue, block);
          refusedWith(answer, "BAD_EVENT_QUEUE_ID", { queue_id: queue.queue_id });
        } finally {
          await later.close();
        }
      });

  it("succeed for a queue's whole lifetime after the last record of its use", async () => {
    const queue = await registered(org.member, { idle_queue_timeout: 300 });
    const idle = (seconds: number) =>
      db.rows(
        "UPDATE event_queue SET last_seen = now() - make_interval(secs => $2) WHERE queue_id = $1",
        [queue.queue_id, seconds],
      );
    // The queue's gateway was killed some time after its last record.
    await idle(300 + 25);
    expect(await received(b, org.member, queue)).to.deep.equal([]);
    await b.events.touch();
    expect(await received(a, org.member, queue)).to.deep.equal([]);
    await idle(300 + 60.1);
    const { body } = await ask(a, org.member, queue, false);
    expect(body).to.include({ code: "BAD_EVENT_QUEUE_ID", queue_id: queue.queue_id });
    const answer = await a.as(org.member).delete("/api/v1/events", { queue_id: queue.queue_id });
    refusedWith(answer, "BAD_EVENT_QUEUE_ID", { queue_id: queue.queue_id });
  });

  it("keep a queue with a lifetime of one second alive while they are open", async () => {
    const beating = await startGateway(db, {
      events: { heartbeatMs: [2_500, 2_600], logReadMs: 100 },
    });
    const queue = await registered(org.member, { event_types: [], idle_queue_timeout: 1 });
    const [beat] = await received(beating, org.member, queue, true);
    expect(beat?.type).to.equal("heartbeat");
    const older = received(beating, org.member, after(queue, beat), true);
    await isOpen(beating);
    await waitUntil("a second poll would find it", async () => {
      const [row] = await db.rows<{ rest: number }>(
        "SELECT extract(epoch FROM now() - last_seen)::float8 AS rest FROM event_queue WHERE queue_id = $1",
        [queue.queue_id],
      );
      return row !== undefined && row.rest < 0.9;
    });
    expect((await older)[0]?.type).to.equal("heartbeat");
    await beating.close();
  });

  it("end if their queue is deleted concurrently", async () => {
    for (let i = 0; i < 15; i++) {
      const queue = await registered(org.member, { event_types: [] });
      const [answer] = await Promise.all([
        ask(b, org.member, queue, true),
        a.as(org.member).succeed(deleteEventQueue, { params: { queue_id: queue.queue_id } }),
      ]);
      if (answer.status === 200) expect(answer.body).to.deep.include({ events: [] });
      else refusedWith(answer, "BAD_EVENT_QUEUE_ID", { queue_id: queue.queue_id });
    }
  });

  it("end with 401 if the account is deactivated, without affecting others", async () => {
    const leaver = await user(db, org.realm);
    const queue = await registered(leaver, { event_types: [] });
    const other = await registered(org.member, { event_types: ["realm_user"] });
    const [open, stays] = [ask(b, leaver, queue, true), received(b, org.member, other, true)];
    await waitUntil("both polls", () => b.events.counters.waiting === 2);
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [leaver.id]);
    await changed(leaver, { is_active: false });
    refusedWith(await open, "UNAUTHORIZED");
    expect((await stays).map(({ type }) => type)).to.deep.equal(["realm_user"]);
  });

  it("return no events to a deactivated account, even to polls from before", async () => {
    const leaver = await user(db, org.realm);
    const queue = await registered(leaver, { idle_queue_timeout: 30 });
    const other = await registered(org.member, { event_types: ["realm_user"] });
    const witness = received(b, org.member, other, true);
    await isOpen(b);
    const waits = async () => {
      const waiting = await db.rows(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query LIKE 'UPDATE event_queue%'`,
      );
      return waiting.length > 0;
    };
    let poll: ReturnType<typeof ask> | undefined;
    await db.transaction(async (tx) => {
      // The poll is authorized, and then blocks on recording the queue's use.
      await tx.rows("SELECT FROM event_queue WHERE queue_id = $1 FOR UPDATE", [queue.queue_id]);
      poll = ask(b, leaver, queue, false);
      await waitUntil("the poll to wait for its queue", waits);
      await db.rows("UPDATE users SET is_active = false WHERE id = $1", [leaver.id]);
      await changed(leaver, { is_active: false });
      await witness;
    });
    expect((await poll)?.body).to.deep.include({ code: "UNAUTHORIZED" });
  });

  it("return no events of public channels to a new guest, even to open polls", async () => {
    const demoted = await user(db, org.realm);
    const queue = await registered(demoted, { event_types: ["message"], all_public_streams: true });
    await say("for members");
    const [message] = await received(a, demoted, queue);
    expect(message).to.deep.include({ flags: [] });
    const next = after(queue, message);
    const open = received(b, demoted, next, true);
    await isOpen(b);
    await db.rows("UPDATE users SET role = 600 WHERE id = $1", [demoted.id]);
    await changed(demoted, { role: 600 });
    expect(await open).to.deep.equal([]);
    await say("not for guests");
    for (const gateway of [a, b])
      expect(await received(gateway, demoted, next), "a new poll").to.deep.equal([]);
  });

  it("end with a heartbeat when their gateway stops, and continue on another", async () => {
    const stopping = await startGateway(db);
    const queue = await registered(org.member, { event_types: ["message"] });
    const open = received(stopping, org.member, queue, true);
    await isOpen(stopping);
    await stopping.events.close();
    const [beat] = await open;
    await stopping.close();
    expect(beat?.type).to.equal("heartbeat");
    const room2 = await channel(db, org.realm, { subscribers: [org.member] });
    await a.as(org.member).succeed(sendMessage, {
      params: { type: "channel", to: room2.id, topic: "t", content: "elsewhere" },
    });
    const [event] = await received(b, org.member, after(queue, beat));
    expect(event).to.have.nested.property("message.content", "elsewhere");
    expect(event?.id).to.be.greaterThan(beat?.id ?? Infinity);
  });

  it("return thousands of pending events completely, in order and once", async () => {
    const queue = await registered(org.admin, { event_types: ["alert_words"] });
    const count = 2_500;
    await write(
      ...Array.from({ length: count * 2 }, (_, i) => words(i, i % 2 === 0 ? org.admin : org.owner)),
    );
    // One gateway has read the whole log, the other starts behind it.
    const fresh = await startGateway(db, {
      events: { ...never, limits: { events: 100, weight: 1e9 } },
    });
    try {
      for (const gateway of [a, fresh]) {
        const seen: unknown[] = [];
        for (let last = queue.last_event_id; ;) {
          const events = await received(gateway, org.admin, { ...queue, last_event_id: last });
          if (events.length === 0) break;
          expect(events.length).to.be.at.most(1_000);
          seen.push(...events.map((event) => event["alert_words"]));
          last = events.at(-1)!.id;
        }
        expect(seen).to.deep.equal(Array.from({ length: count }, (_, i) => [`${i * 2}`]));
      }
    } finally {
      await fresh.close();
    }
  });
});
