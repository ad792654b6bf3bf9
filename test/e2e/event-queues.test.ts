import { deleteEventQueue, getEvents, register, sendMessage } from "@carillon/contract";
import {
  channel,
  organization,
  refused,
  refusedWith,
  startGateway,
  useDatabase,
  useGateway,
  user,
  waitUntil,
  type Gateway,
} from "@carillon/testkit";
import { expect } from "chai";

type Organization = Awaited<ReturnType<typeof organization>>;
type Client = ReturnType<Gateway["as"]>;

// events.md §1–3 over HTTP, on two gateways of one database.
describe("Event queues", () => {
  const db = useDatabase();
  // No heartbeats while a test waits for other events.
  const never = { heartbeatMs: [600_000, 600_000] as const };
  const a = useGateway(db, { events: never });
  const b = useGateway(db, { events: never });
  const beating = useGateway(db, { events: { heartbeatMs: [150, 200] } });
  let org: Organization;
  let room: Awaited<ReturnType<typeof channel>>;

  before(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.owner, org.member] });
  });

  const registered = (client: Client, params: Record<string, unknown> = {}) =>
    client.succeed(register, { params: { fetch_event_types: [], ...params } });
  const poll = (client: Client, queueId: string, last: number, dontBlock = false) =>
    client.succeed(getEvents, {
      params: { queue_id: queueId, last_event_id: last, dont_block: dontBlock },
    });
  const send = (client: Client, content: string, more: Record<string, unknown> = {}) =>
    client.succeed(sendMessage, {
      params: { type: "channel", to: room.id, topic: "events", content, ...more },
    });

  it("start at the registration and return events until they are acknowledged", async () => {
    const client = a.as(org.member);
    await send(client, "before");
    const { queue_id: id, last_event_id: last } = await registered(client);
    expect((await poll(client, id, last, true)).events).to.deep.equal([]);
    const { id: messageId } = await send(client, "after");
    const first = await poll(client, id, last);
    expect(first.queue_id).to.equal(id);
    expect(first.events.map(({ type }) => type)).to.include("message");
    const event = first.events.find(({ type }) => type === "message")!;
    expect((event as unknown as { message: { id: number } }).message.id).to.equal(messageId);
    expect((await poll(client, id, last, true)).events).to.deep.equal(first.events);
    const newest = first.events.at(-1)!.id;
    expect((await poll(client, id, newest, true)).events).to.deep.equal([]);
    expect((await poll(client, id, -1, true)).events).to.deep.equal(first.events);
  });

  it("are served by any gateway, which wakes a poll there", async () => {
    const here = a.as(org.member);
    const there = b.as(org.member);
    const { queue_id: id, last_event_id: last } = await registered(here, {
      event_types: ["message"],
    });
    const waiting = poll(there, id, last);
    await waitUntil("the open poll", () => b.events.counters.waiting === 1);
    await send(a.as(org.owner), "across");
    const { events } = await waiting;
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.have.nested.property("message.content", "across");
  });

  it("answer a heartbeat for every event type, and never an empty list", async () => {
    const client = beating.as(org.owner);
    const { queue_id: id, last_event_id: last } = await registered(client, {
      event_types: ["presence"],
    });
    const { events } = await poll(client, id, last);
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.have.all.keys("id", "type");
    expect(events.at(0)!.type).to.equal("heartbeat");
    const next = await poll(client, id, events.at(0)!.id);
    expect(next.events.at(0)!.id).to.be.greaterThan(events.at(0)!.id);
  });

  it("continue after more heartbeats than fit between two events", async () => {
    const client = beating.as(org.owner);
    const { queue_id: id, last_event_id: last } = await registered(client);
    // The ID of the 1,023rd consecutive heartbeat: the next one would be the next event's.
    const used = last + 1_023;
    const { events } = await poll(client, id, used);
    expect(events.map(({ type }) => type)).to.deep.equal(["heartbeat"]);
    expect(events.at(0)!.id).to.be.greaterThan(used);
    await send(client, "after the heartbeats");
    const next = await poll(client, id, events.at(0)!.id);
    expect(next.events.map(({ type }) => type)).to.include("message");
  });

  it("end the older of two polls", async () => {
    const client = a.as(org.owner);
    const { queue_id: id, last_event_id: last } = await registered(client, {
      event_types: ["message"],
    });
    const older = poll(client, id, last);
    await waitUntil("the open poll", () => a.events.counters.waiting === 1);
    const newer = poll(client, id, last);
    expect((await older).events).to.deep.equal([]);
    await send(client, "for the newer");
    expect((await newer).events).to.have.lengthOf(1);
  });

  it("are deleted on one gateway, which ends a poll on the other", async () => {
    const client = a.as(org.owner);
    const { queue_id: id, last_event_id: last } = await registered(client);
    const waiting = poll(b.as(org.owner), id, last);
    await waitUntil("the open poll", () => b.events.counters.waiting === 1);
    await client.succeed(deleteEventQueue, { params: { queue_id: id } });
    expect((await waiting).events).to.deep.equal([]);
    for (const gateway of [a, b]) {
      const params = { queue_id: id, last_event_id: last };
      const answer = await gateway.as(org.owner).call(getEvents, { params });
      refusedWith(answer, "BAD_EVENT_QUEUE_ID", { queue_id: id });
    }
    const again = () => client.call(deleteEventQueue, { params: { queue_id: id } });
    await refused(db, again, "BAD_EVENT_QUEUE_ID", { queue_id: id });
  });

  it("are all served when all clients reconnect at once, behind the gateway's memory", async () => {
    const late = await startGateway(db, { events: { limits: { events: 5, weight: 10_000 } } });
    try {
      const { queue_id: id, last_event_id: last } = await registered(a.as(org.member), {
        event_types: ["message"],
      });
      for (let i = 0; i < 20; i++) await send(a.as(org.owner), `missed ${i}`);
      const answers = await Promise.all(
        Array.from({ length: 250 }, () => poll(late.as(org.member), id, last, true)),
      );
      for (const { events } of answers) expect(events).to.have.lengthOf(20);
    } finally {
      await late.close();
    }
  });

  it("answer alike for unknown, expired, malformed and foreign queue IDs", async () => {
    const client = a.as(org.member);
    const foreign = await registered(a.as(org.owner));
    const expired = await registered(client);
    await db.rows(
      "UPDATE event_queue SET last_seen = now() - interval '661 seconds' WHERE queue_id = $1",
      [expired.queue_id],
    );
    const words = new Set<string>();
    for (const id of [
      foreign.queue_id,
      expired.queue_id,
      "1e2a2b3c-0000-4000-8000-000000000000",
      "not a queue",
    ]) {
      const ask = () => client.call(getEvents, { params: { queue_id: id, last_event_id: 0 } });
      const { msg } = await refused(db, ask, "BAD_EVENT_QUEUE_ID", { queue_id: id });
      words.add(msg.replaceAll(id, "ID"));
    }
    expect([...words]).to.have.length(1);
    const nameless = () => client.call(getEvents, { params: { queue_id: "", last_event_id: 0 } });
    await refused(db, nameless, "BAD_EVENT_QUEUE_ID", { queue_id: "" });
  });

  it("refuse an event ID that they cannot have issued, and a poll without one", async () => {
    const client = a.as(org.member);
    const { queue_id: id, last_event_id: last } = await registered(client);
    const future = { queue_id: id, last_event_id: last + 1_024 * 1_000 };
    await refused(db, () => client.call(getEvents, { params: future }), "BAD_REQUEST");
    const code = "REQUEST_VARIABLE_MISSING";
    for (const params of [{ queue_id: id }, { last_event_id: last }])
      await refused(db, () => client.call(getEvents, { params }), code);
    await refused(db, () => client.call(deleteEventQueue, {}), code, { var_name: "queue_id" });
  });

  it("contain the local_message_id only in the sending queue", async () => {
    const client = a.as(org.member);
    const types = { event_types: ["message"] };
    const own = await registered(client, types);
    const other = await registered(client, types);
    await send(client, "local", { queue_id: own.queue_id, local_id: "12.5" });
    const [mine] = (await poll(client, own.queue_id, own.last_event_id)).events;
    const [theirs] = (await poll(client, other.queue_id, other.last_event_id)).events;
    expect(mine).to.have.property("local_message_id", "12.5");
    expect(theirs).not.to.have.property("local_message_id");
  });

  it("live for a week at most, and for half a day on a phone", async () => {
    const client = a.as(org.admin);
    const lives = async (timeout?: unknown) =>
      (await registered(client, { idle_queue_timeout: timeout })).idle_queue_timeout_secs;
    expect(await lives()).to.equal(600);
    expect(await lives("mobile")).to.equal(43_200);
    expect(await lives('"mobile"')).to.equal(43_200);
    expect(await lives(10_000_000)).to.equal(604_800);
    expect(await lives(77)).to.equal(77);
  });

  it("are limited to 100 for an account: a further one replaces the one that is idle longest, on any gateway", async () => {
    const account = await user(db, org.realm);
    const [here, there] = [a.as(account), b.as(account)];
    const { queue_id: copied } = await registered(here);
    await db.rows(
      `INSERT INTO event_queue SELECT (jsonb_populate_record(q, jsonb_build_object(
         'queue_id', gen_random_uuid(), 'last_seen', q.last_seen - make_interval(secs => 37 * n % 100)))).*
       FROM event_queue q, generate_series(1, 99) n WHERE queue_id = $1`,
      [copied],
    );
    const byIdleness = async () =>
      (
        await db.rows<{ id: string }>(
          "SELECT queue_id AS id FROM event_queue WHERE user_id = $1 ORDER BY last_seen",
          [account.id],
        )
      ).map(({ id }) => id);
    const all = await byIdleness();
    expect(all).to.have.length(100);
    const { queue_id: next } = await registered(there);
    expect(await byIdleness()).to.deep.equal([...all.slice(1), next]);
    const two = await Promise.all([registered(here), registered(there)]);
    expect(await byIdleness()).to.have.members([
      ...all.slice(3),
      next,
      ...two.map(({ queue_id }) => queue_id),
    ]);
  });

  it("require authentication", async () => {
    for (const operation of [register, getEvents, deleteEventQueue])
      await refused(db, () => a.anonymous.call(operation, {}), "UNAUTHORIZED");
  });

  it("refuse all_public_streams for guests, and unsupported narrows", async () => {
    const all = { all_public_streams: true };
    await refused(db, () => a.as(org.guest).call(register, { params: all }));
    for (const narrow of [
      [["has", "link"]],
      [["is", "followed"]],
      [["channel"]],
      [["channel", "a", "b"]],
      ["channel"],
      [["channel", 1]],
    ])
      await refused(db, () => a.as(org.member).call(register, { params: { narrow } }));
  });

  it("accept null for omitted parameters, and unknown event types", async () => {
    const client = a.as(org.member);
    const answer = await client.succeed(register, {
      params: { event_types: "null", fetch_event_types: ["no_such_thing"], narrow: "null" },
    });
    expect(answer).to.have.all.keys(
      "result",
      "msg",
      "queue_id",
      "last_event_id",
      "idle_queue_timeout_secs",
      "zulip_version",
      "zulip_feature_level",
      "zulip_merge_base",
    );
  });
});
