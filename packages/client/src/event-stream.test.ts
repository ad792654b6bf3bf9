import {
  bot,
  channel,
  clientOf,
  type FaultProxy,
  type Gateway,
  pastMessages,
  reservePort,
  startFaultProxy,
  startGateway,
  type TestAccount,
  type TestChannel,
  user,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { Client, type Position, type StreamEvent } from "./index.ts";
import { errorOf } from "./test-support/failures.ts";
import { clientFor, useStub } from "./test-support/servers.ts";

describe("The events of a client", () => {
  const scene = useScene();
  let me: TestAccount;
  let room: TestChannel;
  let channelId: number;
  let ends: AbortController;
  beforeEach(async () => {
    me = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, me, { subscribers: [me] });
    channelId = room.id;
    ends = new AbortController();
  });
  afterEach(() => ends.abort());

  const own = (site = scene.gateway.url) => clientFor(site, me);
  const send = async (content: string) =>
    (await own().sendMessage({ type: "channel", to: channelId, topic: "events", content })).id;
  /** What a test compares: contents of messages, types of others. */
  const named = (item: StreamEvent) =>
    item.type === "message"
      ? item.message.content
      : "op" in item
        ? `${item.type}/${item.op}`
        : item.type;
  /** Takes items of a stream. */
  async function take(stream: AsyncIterator<StreamEvent, void>, count: number) {
    const items: StreamEvent[] = [];
    while (items.length < count) {
      const { value } = await stream.next();
      if (value) items.push(value);
    }
    return items;
  }
  const texts = async (stream: AsyncIterator<StreamEvent, void>, count: number) =>
    (await take(stream, count)).map(named);
  const polls = (gateway: Pick<Gateway, "events"> = scene.gateway) =>
    waitFor(() => gateway.events.counters.waiting > 0, { what: "the client polls" });

  it("begin with the snapshot, and come once and in order", async () => {
    await send("before");
    const stream = own().events({
      event_types: ["message", "saved_snippets"],
      signal: ends.signal,
    });
    const [first] = await take(stream, 1);
    if (first?.type !== "registered") throw new Error("not registered");
    expect(first.missed).to.equal(null);
    expect(first.snapshot["saved_snippets"]).to.deep.equal([]);
    await send("one");
    await own().createSavedSnippet({ title: "t", content: "c" });
    await send("two");
    expect(await texts(stream, 3)).to.deep.equal(["one", "saved_snippets/add", "two"]);
  });

  it("are given one by one to calls that do not wait for each other", async () => {
    const stream = own().events({ event_types: ["message"], signal: ends.signal });
    await take(stream, 1);
    const pending = [stream.next(), stream.next(), stream.next()];
    for (const text of ["a", "b", "c"]) await send(text);
    const got = await Promise.all(pending);
    expect(got.map(({ value }) => value && named(value))).to.deep.equal(["a", "b", "c"]);
  });

  it("continue after the connection of a poll breaks, without loss or repetition", async () => {
    const proxy: FaultProxy = await startFaultProxy(scene.gateway.url);
    const stream = own(proxy.url.replace(/\/$/, "")).events({
      event_types: ["message"],
      signal: ends.signal,
    });
    await take(stream, 1);
    const next = texts(stream, 2);
    await polls();
    await proxy.refuse();
    await send("while away");
    await proxy.heal();
    await waitFor(() => proxy.connections > 0, { what: "the client is back" });
    await send("afterwards");
    expect(await next).to.deep.equal(["while away", "afterwards"]);
    ends.abort();
    await proxy.close();
  });

  it("continue at the next gateway of the address", async () => {
    const port = await reservePort();
    const before = await startGateway(scene.db, { port });
    const failures: string[] = [];
    const client = clientFor(before.url, me, {
      onRetry: ({ operation, code }) => failures.push(`${operation} ${code}`),
    });
    const stream = client.events({ event_types: ["message"], signal: ends.signal });
    await take(stream, 1);
    const next = texts(stream, 1);
    await polls(before);
    await before.close();
    await send("between");
    await waitFor(() => failures.length > 0, { what: "the client notices" });
    const after = await startGateway(scene.db, { port });
    expect(await next).to.deep.equal(["between"]);
    expect(new Set(failures)).to.deep.equal(new Set(["get-events NO_ANSWER"]));
    ends.abort();
    await after.close();
  });

  it("continue in a new queue if theirs was deleted, with the messages that were missed", async () => {
    const stream = own().events({
      event_types: ["message", "saved_snippets"],
      signal: ends.signal,
    });
    const [first] = await take(stream, 1);
    await send("one");
    await take(stream, 1);
    const before = stream.position;
    await own().deleteEventQueue({ queue_id: before?.queueId ?? "" });
    const missed = [await send("missed 1"), await send("missed 2")];
    await own().createSavedSnippet({ title: "t", content: "c" });
    const [again, ...messages] = await take(stream, 3);
    if (first?.type !== "registered" || again?.type !== "registered")
      throw new Error("not registered");
    expect(again.missed).to.deep.equal({ afterEventId: before?.lastEventId, messages: "follow" });
    expect(again.snapshot["saved_snippets"]).to.have.length(1);
    expect(again.snapshot.queue_id).not.to.equal(first.snapshot.queue_id);
    expect(messages.map((item) => item.type === "message" && item.message.id)).to.deep.equal(
      missed,
    );
    await send("two");
    expect(await texts(stream, 1)).to.deep.equal(["two"]);
  });

  it("have thousands of missed messages, each once and in order", async () => {
    const stream = own().events({ event_types: ["message"], signal: ends.signal });
    await take(stream, 1);
    await send("first");
    await take(stream, 1);
    await own().deleteEventQueue({ queue_id: stream.position?.queueId ?? "" });
    const missed = await pastMessages(scene.db, room, me, { count: 1_700 });
    await send("last");
    const [, ...items] = await take(stream, 1_702);
    expect(items.pop()).to.nested.include({ "message.content": "last" });
    expect(items.map((item) => item.type === "message" && item.message.id)).to.deep.equal(missed);
    await send("new");
    expect(await texts(stream, 1)).to.deep.equal(["new"]);
  });

  it("have the missed messages in the same form as others", async () => {
    const options = { apply_markdown: true, client_gravatar: false } as const;
    const stream = own().events({ event_types: ["message"], ...options, signal: ends.signal });
    await take(stream, 1);
    await own().sendMessage({
      type: "channel",
      to: channelId,
      topic: "",
      content: "**one** @**all**",
    });
    const [usual] = await take(stream, 1);
    await own().deleteEventQueue({ queue_id: stream.position?.queueId ?? "" });
    await own().sendMessage({
      type: "channel",
      to: channelId,
      topic: "",
      content: "**one** @**all**",
    });
    const [, missed] = await take(stream, 2);
    if (usual?.type !== "message" || missed?.type !== "message") throw new Error("no message");
    const { id: _, timestamp: __, ...form } = usual.message;
    const { id: ___, timestamp: ____, ...missedForm } = missed.message;
    expect(missedForm).to.deep.equal(form);
    expect(missed.flags).to.deep.equal(usual.flags);
  });

  it("do not ask for missed messages after a move to another installation, where all ids are new", async () => {
    const stream = own().events({ event_types: ["message"], signal: ends.signal });
    await take(stream, 1);
    await send("before");
    await take(stream, 1);
    const { position } = stream;
    ends.abort();
    await scene.db.rows("DELETE FROM event_queue WHERE user_id = $1", [me.id]);
    await scene.db.rows("UPDATE realms SET uuid = gen_random_uuid() WHERE id = $1", [me.realmId]);
    await send("of other ids");
    ends = new AbortController();
    const again = own().events({
      event_types: ["message"],
      resume: position,
      signal: ends.signal,
    });
    const [registered] = await take(again, 1);
    expect(registered?.type === "registered" && registered.missed?.messages).to.equal("renumbered");
    await send("after");
    expect(await texts(again, 1)).to.deep.equal(["after"]);
  });

  it("report that missed messages are lost if the position of an earlier release does not name the organization", async () => {
    const stream = own().events({ event_types: ["message"], signal: ends.signal });
    await take(stream, 1);
    await own().deleteEventQueue({ queue_id: stream.position?.queueId ?? "" });
    const resume = stream.position && { ...stream.position, organization: undefined };
    ends.abort();
    ends = new AbortController();
    await send("not followed");
    const again = own().events({ event_types: ["message"], resume, signal: ends.signal });
    const [registered] = await take(again, 1);
    expect(registered?.type === "registered" && registered.missed?.messages).to.equal("lost");
    await send("after");
    expect(await texts(again, 1)).to.deep.equal(["after"]);
  });

  it("report that missed messages are lost if they are not fetched", async () => {
    for (const [options, messages] of [
      [{ missedMessages: "skip" }, "lost"],
      [{ event_types: ["typing"] }, "lost"],
      [{ all_public_streams: true }, "follow in part"],
      [{ narrow: [["topic", "events"]] }, "follow in part"],
    ] as const) {
      const stream = own().events({ ...options, signal: ends.signal });
      await take(stream, 1);
      await own().deleteEventQueue({ queue_id: stream.position?.queueId ?? "" });
      const [again] = await take(stream, 1);
      expect(again?.type === "registered" && again.missed?.messages).to.equal(messages);
    }
  });

  it("are resumed by another process, without loss or repetition", async () => {
    let stored = "";
    const options = { event_types: ["message"] } as const;
    const first = own().events({ ...options, signal: ends.signal });
    await take(first, 1);
    for (const text of ["1", "2", "3"]) await send(text);
    expect(await texts(first, 2)).to.deep.equal(["1", "2"]);
    stored = JSON.stringify(first.position);
    await send("4");
    const resumed = own().events({
      ...options,
      resume: JSON.parse(stored) as Position,
      signal: ends.signal,
    });
    expect(await texts(resumed, 2)).to.deep.equal(["3", "4"]);

    // The program is away for so long that its queue is gone.
    const last = resumed.position;
    await own().deleteEventQueue({ queue_id: last?.queueId ?? "" });
    for (const text of ["5", "6"]) await send(text);
    const late = own().events({ ...options, ...(last && { resume: last }), signal: ends.signal });
    expect(await texts(late, 2)).to.deep.equal(["registered", "5"]);
    // It ends while it fetches what it has missed.
    const amid = late.position;
    expect(amid?.missedTo).to.be.a("number");
    await send("7");
    const later = own().events({ ...options, ...(amid && { resume: amid }), signal: ends.signal });
    expect(await texts(later, 2)).to.deep.equal(["6", "7"]);
  });

  it("begin anew if the position is of a newer database than the server's", async () => {
    const first = own().events({ event_types: ["message"], signal: ends.signal });
    await take(first, 1);
    const position = first.position as Position;
    const resume = { ...position, lastEventId: position.lastEventId + 2 ** 40 };
    const stream = own().events({ event_types: ["message"], resume, signal: ends.signal });
    expect(await texts(stream, 1)).to.deep.equal(["registered"]);
  });

  it("end with the signal's reason, in a poll and before", async () => {
    const reason = new Error("enough");
    const stream = own().events({ event_types: ["message"], signal: ends.signal });
    await take(stream, 1);
    const next = stream.next().catch((error: unknown) => error);
    await polls();
    ends.abort(reason);
    expect(await next).to.equal(reason);
    expect(await stream.next()).to.deep.equal({ value: undefined, done: true });
    const late = own().events({ signal: ends.signal });
    expect(await late.next().catch((error: unknown) => error)).to.equal(reason);
  });

  it("end with the refusal when the account is deactivated", async () => {
    const gone = await bot(scene.db, me);
    const stream = clientFor(scene.gateway.url, gone).events({ event_types: ["message"] });
    await take(stream, 1);
    const next = errorOf(stream.next());
    await polls();
    await clientOf(scene.gateway.url, { ...me, email: me.deliveryEmail }).delete(
      `/api/v1/bots/${gone.id}`,
    );
    expect(await next).to.include({ status: 401, code: "UNAUTHORIZED", operation: "get-events" });
  });

  describe("of a server whose answers are wrong", () => {
    const stub = useStub();
    const registered = {
      result: "success",
      msg: "",
      queue_id: "q",
      last_event_id: 10,
      max_message_id: 5,
    };
    const event = (id: number) => ({ id, type: "typing", op: "start" });
    const events = (...list: unknown[]) =>
      JSON.stringify({ result: "success", msg: "", queue_id: "q", events: list });
    const refusal = (code: string) => JSON.stringify({ result: "error", msg: "", code });
    /** Answers registrations, and polls in turn; the last poll waits. */
    const answers = (...given: readonly [status: number, body: string, headers?: object][]) => {
      const left = [...given];
      stub.answer = (request, response) => {
        if (request.url?.startsWith("/api/v1/register"))
          return void response.end(JSON.stringify(registered));
        const next = left.shift();
        if (next) response.writeHead(next[0], { ...next[2] }).end(next[1]);
      };
    };
    const client = () => new Client({ site: stub.url, email: "a@b.test", apiKey: "k" });
    const stream = () => client().events({ event_types: ["typing"], signal: ends.signal });
    const ids = async (given: AsyncIterator<StreamEvent, void>, count: number) =>
      (await take(given, count)).map((item) => ("id" in item ? item.id : item.type));

    /** Runs with waits of the client that end at once, and returns them. */
    async function waits(run: () => Promise<void>): Promise<number[]> {
      const asked: number[] = [];
      const original = globalThis.setTimeout;
      const quick = (callback: () => void, ms = 0, ...given: []) => {
        if (!new Error("where").stack?.includes("pause")) return original(callback, ms, ...given);
        asked.push(ms);
        return original(callback, 0);
      };
      globalThis.setTimeout = quick as typeof setTimeout;
      try {
        await run();
      } finally {
        globalThis.setTimeout = original;
      }
      return asked;
    }

    it("are asked for again after garbage, with growing waits", async () => {
      answers(
        [502, "<html>"],
        [200, events(event(11)).slice(0, -9)],
        [200, JSON.stringify({ result: "success", events: "none" })],
        [200, events(null)],
        [200, events({ id: 1e30, type: "typing" })],
        [200, `{"result":"success","events":[{"id":1e999,"type":"typing"}]}`],
        [429, refusal("RATE_LIMIT_HIT"), { "Retry-After": "1e9" }],
        [200, events(event(11))],
      );
      const asked = await waits(async () => {
        expect(await ids(stream(), 2)).to.deep.equal(["registered", 11]);
      });
      expect(asked).to.have.length(7);
      for (const [at, ms] of asked.slice(0, 6).entries())
        expect(ms).to.be.within(250 * 2 ** at, Math.min(500 * 2 ** at, 30_000));
      // At most five minutes, whatever the server says, and less than the doubled bound on top.
      expect(asked[6]).to.be.within(300_000, 330_000);
    });

    it("are asked for again when a poll gets no answer in 90 seconds", async () => {
      let polls = 0;
      stub.answer = (request, response) => {
        if (request.url?.startsWith("/api/v1/register"))
          return void response.end(JSON.stringify(registered));
        // The first one never ends, as with a gateway that is frozen.
        if (++polls === 2) response.end(events(event(11)));
      };
      const original = globalThis.setTimeout;
      const frozen = (callback: () => void, ms = 0, ...given: []) =>
        original(callback, ms === 90_000 && polls < 2 ? 300 : ms, ...given);
      globalThis.setTimeout = frozen as typeof setTimeout;
      try {
        expect(await ids(stream(), 2)).to.deep.equal(["registered", 11]);
      } finally {
        globalThis.setTimeout = original;
      }
      expect(polls).to.equal(2);
    });

    it("are given once, whatever the server repeats", async () => {
      answers(
        [200, events(event(11), event(12))],
        [200, events(event(11), event(12), event(12), event(13))],
        [200, events(event(9), { id: 14, type: "heartbeat" }, event(15))],
      );
      const given = stream();
      expect(await ids(given, 5)).to.deep.equal(["registered", 11, 12, 13, 15]);
      expect(stub.requests.at(-1)).to.include("last_event_id=13");
      expect(given.position).to.include({ lastEventId: 15 });
    });

    it("are not asked for in a fast loop, where each poll ends at once", async () => {
      answers(
        [200, events()],
        [200, events(event(10))],
        [200, events({ id: 3, type: "heartbeat" })],
        [200, events(event(11))],
      );
      const asked = await waits(async () => {
        expect(await ids(stream(), 2)).to.deep.equal(["registered", 11]);
      });
      expect(asked.map((ms) => Math.ceil(Math.log2(ms / 250)))).to.deep.equal([1, 2, 3]);
    });

    it("come from new queues in a slowing loop, where each queue is lost at once", async () => {
      const lost = [400, refusal("BAD_EVENT_QUEUE_ID")] as const;
      answers([...lost], [...lost], [...lost], [200, events(event(11))]);
      const asked = await waits(async () => {
        expect(await ids(stream(), 5)).to.deep.equal([...Array<string>(4).fill("registered"), 11]);
      });
      expect(asked).to.have.length(2);
    });

    it("have each message once, whatever the order of commits was", async () => {
      const message = (id: number) => ({ id, type: "private", flags: [] });
      const sent = (id: number, messageId: number) => ({
        id,
        type: "message",
        message: message(messageId),
        flags: [],
      });
      let registrations = 0;
      const polled = [
        [200, events(sent(11, 8))],
        [400, refusal("BAD_EVENT_QUEUE_ID")],
        // 9 was committed after the registration, and before the messages were fetched.
        [200, events(sent(21, 9), sent(22, 12))],
      ] as const;
      let polls = 0;
      stub.answer = (request, response) => {
        const { url = "" } = request;
        if (url.startsWith("/api/v1/register"))
          return void response.end(
            JSON.stringify({ ...registered, max_message_id: registrations++ === 0 ? 5 : 10 }),
          );
        if (url.startsWith("/api/v1/messages"))
          return void response.end(
            // 7 was committed, and its event lost, after the event of 8.
            JSON.stringify({
              result: "success",
              found_newest: true,
              messages: [4, 5, 7, 8, 9, 10, 12].map(message),
            }),
          );
        const next = polled[polls++];
        if (next) response.writeHead(next[0]).end(next[1]);
      };
      const given = client().events({ event_types: ["message"], signal: ends.signal });
      const items = await take(given, 7);
      expect(
        items.map((item) => (item.type === "message" ? item.message.id : item.type)),
      ).to.deep.equal(["registered", 8, "registered", 7, 9, 10, 12]);
    });

    it("end where the server refuses the polls of a new queue", async () => {
      const bad = [400, refusal("BAD_REQUEST")] as const;
      answers([...bad], [...bad]);
      const given = stream();
      expect(await ids(given, 2)).to.deep.equal(["registered", "registered"]);
      expect(await errorOf(given.next())).to.include({ code: "BAD_REQUEST", status: 400 });
    });

    it("end where the first registration is no answer of the server", async () => {
      stub.answer = (_, response) => void response.end(JSON.stringify({ result: "success" }));
      expect(await errorOf(stream().next())).to.include({
        code: "BAD_ANSWER",
        operation: "register",
      });
      stub.answer = (_, response) => void response.writeHead(500).end("");
      const asked = await waits(async () => {
        expect(await errorOf(stream().next())).to.include({ status: 500 });
      });
      expect(asked).to.have.length(5);
    });
  });
});
