import {
  type LoggedFields,
  alertWordsChanged,
  getEvents,
  messageSent,
  register,
} from "@carillon/contract";
import { emit } from "@carillon/events";
import {
  lastEventSeq,
  organization,
  refusedWith,
  startGateway,
  useDatabase,
  type Gateway,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

type Told = ReadonlyArray<{ readonly id: number; readonly alert_words?: readonly string[] }>;

const maxEventsBehind = 100_000;

// events.md §6, backpressure.
describe("Clients that are far behind", () => {
  const db = useDatabase();
  const limits = { events: 700, weight: 2_000_000 };
  let reader: TestAccount;
  const gateways: Gateway[] = [];

  beforeEach(async () => {
    ({ member: reader } = await organization(db));
  });
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
  });

  it("use no memory without acknowledging, and get each event once when they acknowledge", async () => {
    const gateway = await freshGateway();
    const queue = await registered(gateway);
    const written: string[] = [];
    for (let round = 0; round < 6; round++) {
      const words = Array.from({ length: 500 }, (_, i) => `${round}-${i}`);
      await sendAll(words);
      written.push(...words);
      const { status, events } = await poll(gateway, queue.id, queue.last);
      expect(status).to.equal(200);
      expect(wordsOf(events)).to.deep.equal(written.slice(0, 1_000));
      const { events: kept, bytes, polls } = gateway.events.counters;
      expect(kept).to.be.at.most(limits.events);
      expect(bytes).to.be.at.most(limits.weight);
      expect(polls).to.equal(0);
    }
    expect(gateway.events.counters.events, "the memory is full").to.equal(limits.events);
    expect(await queuesOf(reader)).to.equal(1);
    const { words, answers } = await drained(gateway, queue);
    expect(words).to.deep.equal(written);
    expect(answers).to.equal(3);
  });

  it("get about a megabyte in one answer, and the rest in the next", async () => {
    const gateway = await freshGateway();
    const queue = await registered(gateway);
    await db.transaction(async (tx) =>
      emit(
        tx,
        reader.realmId,
        Array.from({ length: 300 }, () =>
          messageSent(loggedMessage("long ".repeat(2_000)), { audience: [reader.id] }),
        ),
      ),
    );
    let last = queue.last;
    let count = 0;
    for (;;) {
      const { events } = await poll(gateway, queue.id, last);
      if (events.length === 0) break;
      expect(JSON.stringify(events).length).to.be.at.most(1_200_000);
      count += events.length;
      last = events.at(-1)!.id;
      expect(gateway.events.counters.bytes).to.be.at.most(limits.weight);
    }
    expect(count).to.equal(300);
  });

  it("keep their queue when they are 100,000 events behind, and lose it at one more", async () => {
    const early = await freshGateway();
    const queue = await registered(early);
    await fillLog(maxEventsBehind);
    const gateway = await freshGateway();
    const served = await poll(gateway, queue.id, queue.last);
    expect(served.events).to.have.lengthOf(1_000);
    await sendAll(["one more"]);
    await expectGone(gateway, queue.id, queue.last);
    expect(await queuesOf(reader), "nothing is left of it").to.equal(0);
  });

  it("lose their queue when the log no longer has their next event, and keep it otherwise", async () => {
    const [behind, ahead] = [await freshGateway(), await freshGateway()];
    const queue = await registered(behind);
    await sendAll(["a", "b", "c", "d"]);
    const base = queue.last / 1_024;
    await db.rows("DELETE FROM event_log WHERE realm_id = $1 AND seq <= $2", [
      reader.realmId,
      base + 2,
    ]);
    const { events } = await poll(ahead, queue.id, (base + 2) * 1_024);
    expect(wordsOf(events)).to.deep.equal(["c", "d"]);
    await expectGone(ahead, queue.id, queue.last);
  });

  async function freshGateway(): Promise<Gateway> {
    const gateway = await startGateway(db, { events: { limits } });
    gateways.push(gateway);
    return gateway;
  }

  async function registered(gateway: Gateway): Promise<{ id: string; last: number }> {
    const { queue_id: id, last_event_id: last } = await gateway
      .as(reader)
      .succeed(register, { params: { fetch_event_types: [] } });
    return { id, last };
  }

  async function poll(
    gateway: Gateway,
    id: string,
    last: number,
  ): Promise<{ status: number; events: Told }> {
    const { status, body } = await gateway.as(reader).call(getEvents, {
      params: { queue_id: id, last_event_id: last, dont_block: true },
    });
    return { status, events: body.events };
  }

  /** Polls and acknowledges until there are no more events. */
  async function drained(
    gateway: Gateway,
    { id, last }: { id: string; last: number },
  ): Promise<{ words: string[]; answers: number }> {
    const words: string[] = [];
    for (let answers = 0; ; answers++) {
      const { events } = await poll(gateway, id, last);
      if (events.length === 0) return { words, answers };
      expect(events.length).to.be.at.most(1_000);
      words.push(...wordsOf(events));
      last = events.at(-1)!.id;
    }
  }

  async function expectGone(gateway: Gateway, id: string, last: number): Promise<void> {
    const params = { queue_id: id, last_event_id: last };
    const answer = await gateway.as(reader).call(getEvents, { params });
    refusedWith(answer, "BAD_EVENT_QUEUE_ID", { queue_id: id });
  }

  /** Emits an event to the reader for each word. */
  async function sendAll(words: readonly string[]): Promise<void> {
    await db.transaction(async (tx) =>
      emit(
        tx,
        reader.realmId,
        words.map((word) => alertWordsChanged({ alert_words: [word] }, { audience: [reader.id] })),
      ),
    );
  }

  /** Inserts events to the reader, as if they had been emitted. */
  async function fillLog(count: number): Promise<void> {
    const head = await lastEventSeq(db, reader.realmId);
    await db.transaction(async (tx) => {
      await tx.rows(
        `INSERT INTO event_log (realm_id, seq, type, payload, audience)
         SELECT $1, $2::bigint + n, 'alert_words', '{"alert_words": ["many"]}', ARRAY[$3::int]
         FROM generate_series(1, $4::int) AS n`,
        [reader.realmId, head, reader.id, count],
      );
      await tx.rows("UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1", [
        reader.realmId,
        count,
      ]);
    });
  }

  async function queuesOf({ id }: TestAccount): Promise<number> {
    const rows = await db.rows("SELECT FROM event_queue WHERE user_id = $1", [id]);
    return rows.length;
  }
});

function wordsOf(events: Told): string[] {
  return events.flatMap(({ alert_words: words = [] }) => words);
}

/** Returns a direct message as the log stores it, for a realistic length. */
function loggedMessage(content: string): LoggedFields<typeof messageSent> {
  return {
    message: {
      id: 1,
      type: "private",
      sender_id: 1,
      sender_email: "sender@behind.test",
      sender_full_name: "Sender",
      sender_realm_str: "",
      recipient_id: 1,
      display_recipient: [],
      timestamp: 1_750_000_000,
      client: "test",
      is_me_message: false,
      reactions: [],
      submessages: [],
      topic_links: [],
      subject: "",
      content,
      rendered_content: `<p>${content}</p>`,
    },
    flags: [],
    picture: { user_id: 1, version: 1, hash: "", shown_to: [] },
    public_gravatar: false,
    public_channel: false,
  };
}
