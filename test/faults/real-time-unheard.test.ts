import { connectDatabase, type Database } from "@carillon/db";
import { getEvents, register, sendMessage } from "@carillon/contract";
import {
  channel,
  freshRedis,
  organization,
  startFaultProxy,
  startGateway,
  useDatabase,
  waitFor,
  waitUntil,
  type FaultProxy,
  type Gateway,
  type QueueBackend,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { untilItWaits } from "./support/open-polls.ts";
import { scenarioMs } from "./support/patience.ts";

/** Never within a test: such a gateway gets events by wake-ups only. */
const neverMs = 3_600_000;

/** An account that writes, and an account that reads. */
interface Conversation {
  readonly send: (through: Gateway) => Promise<number>;
  readonly reader: TestAccount;
}

/** A queue for messages, as its client knows it. */
interface Queue {
  readonly id: string;
  last: number;
}

interface Gateways {
  /** Reads the log every second. */
  readonly looking: Gateway;
  /** Reads the log on wake-ups only. */
  readonly listening: Gateway;
  /** None of its connections break. */
  readonly writer: Gateway;
}

describe("Real time over broken connections", () => {
  const db = useDatabase();

  onBothBackends("without wake-ups", scenarioMs, {
    "because connections are refused, polls are answered by reading the log, and wake-ups work again afterwards":
      (backend) =>
        withWakeUpsOver(backend, (proxy, gateways) => lost(proxy, gateways, () => proxy.refuse())),
    "because the network died silently, polls are answered by reading the log, and wake-ups work again afterwards":
      (backend) =>
        withWakeUpsOver(backend, (proxy, gateways) =>
          lost(proxy, gateways, async () => proxy.freeze()),
        ),
  });

  it("loses nothing when database connections break while polls wait", async () => {
    const { send, reader } = await conversation();
    const proxy = await startFaultProxy(db.url);
    const broken = await connectDatabase(proxy.url, { max: 1, name: "test" });
    const open: Gateway[] = [];
    try {
      const behind = await startGateway(broken);
      open.push(behind);
      const writer = await startGateway(db);
      open.push(writer);
      for (const fault of [async () => proxy.drop(), () => proxy.refuse()]) {
        const queue = await registered(behind, reader);
        const waiting = poll(behind, reader, queue);
        // It has finished its queries.
        await untilItWaits(db, behind, queue.id);
        await fault();
        const first = await send(writer);
        await proxy.heal();
        expect(await waiting).to.deep.equal([first]);
        const second = await send(writer);
        const next = () => poll(behind, reader, queue);
        expect(await waitFor(next, { what: "it answers polls again" })).to.deep.equal([second]);
      }
    } finally {
      for (const gateway of open) await gateway.close();
      await broken.close();
      await proxy.close();
    }
  });

  async function lost(
    proxy: FaultProxy,
    { looking, listening, writer }: Gateways,
    fault: () => Promise<void>,
  ): Promise<void> {
    const { send, reader } = await conversation();
    const queue = await registered(listening, reader);
    const expectRung = async (): Promise<void> => {
      const woken = poll(listening, reader, queue);
      await isOpen(listening);
      const sent = await send(writer);
      expect(await woken).to.deep.equal([sent]);
    };
    // The first wake-up may come before the gateway listens; then it reads the log when it starts to listen.
    await expectRung();
    await expectRung();

    const other = await registered(looking, reader);
    await fault();
    const unheard = poll(listening, reader, queue);
    const seen = poll(looking, reader, other);
    await Promise.all([isOpen(listening), isOpen(looking)]);
    const during = await send(writer);
    expect(await seen, "the look finds it").to.deep.equal([during]);
    expect(listening.events.counters.waiting, "there was no wake-up").to.equal(1);

    await proxy.heal();
    expect(await unheard, "healing brings what was missed").to.deep.equal([during]);
    await expectRung();
  }

  /** Runs a scenario with two gateways that receive wake-ups through a proxy, and one without faults. */
  async function withWakeUpsOver(
    backend: QueueBackend,
    scenario: (proxy: FaultProxy, gateways: Gateways) => Promise<void>,
  ): Promise<void> {
    const redis = backend === "redis" ? await freshRedis() : undefined;
    const proxy = await startFaultProxy(redis?.url ?? db.url);
    const pools: Database[] = [];
    const open: Gateway[] = [];
    const start = async (logReadMs: number, through: FaultProxy | undefined) => {
      const pool = await connectDatabase(db.url, { max: 3, name: "test", connectMs: 60_000 });
      pools.push(pool);
      const redisUrl = redis && { redisUrl: through?.url ?? redis.url };
      const listeningOn = through && !redis ? { ...pool, directUrl: through.url } : pool;
      const gateway = await startGateway(listeningOn, { ...redisUrl, events: { logReadMs } });
      open.push(gateway);
      return gateway;
    };
    try {
      await scenario(proxy, {
        looking: await start(1_000, proxy),
        listening: await start(neverMs, proxy),
        writer: await start(neverMs, undefined),
      });
    } finally {
      for (const gateway of open) await gateway.close();
      for (const pool of pools) await pool.close();
      await proxy.close();
      await redis?.drop();
    }
  }

  async function conversation(): Promise<Conversation> {
    const { owner, member } = await organization(db);
    const room = await channel(db, owner, { subscribers: [owner, member] });
    const params = { type: "channel", to: room.id, topic: "faults", content: "Told once" };
    return {
      reader: member,
      send: async (through) => (await through.as(owner).succeed(sendMessage, { params })).id,
    };
  }

  async function registered(gateway: Gateway, reader: TestAccount): Promise<Queue> {
    const { queue_id: id, last_event_id: last } = await gateway
      .as(reader)
      .succeed(register, { params: { event_types: ["message"], fetch_event_types: [] } });
    return { id, last };
  }

  /**
   * Polls, and acknowledges the events of the previous poll.
   * @returns the ids of the messages
   */
  async function poll(gateway: Gateway, reader: TestAccount, queue: Queue): Promise<number[]> {
    const params = { queue_id: queue.id, last_event_id: queue.last };
    const { events } = await gateway.as(reader).succeed(getEvents, { params });
    queue.last = events.at(-1)?.id ?? queue.last;
    return events.map((event) => (event as unknown as { message: { id: number } }).message.id);
  }

  async function isOpen({ events }: Gateway): Promise<void> {
    await waitUntil("the poll is open", () => events.counters.waiting === 1);
  }
});
