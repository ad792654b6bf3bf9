import type { Database } from "@carillon/db";
import {
  channel,
  clientOf,
  organization,
  reservePort,
  user,
  waitFor,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { setUnusedFor, unusedFor } from "./support/open-polls.ts";
import { scenarioMs } from "./support/patience.ts";
import { followQueue, gaugeOf, registerReader, type QueueReader } from "./support/queue-reader.ts";
import { inWorld, type World } from "./support/world.ts";

const people = 20;
const queuesEach = 10;

onBothBackends("Polls on a gateway process that is killed", scenarioMs, {
  "continue at another gateway, with each message once and in order": (backend) =>
    inWorld(backend, killed),
});

describe("Polls on a gateway process that receives SIGTERM", () => {
  it("are answered, and their queues continue", () => inWorld("postgres", stopsInTurn));
});

async function killed(world: World): Promise<void> {
  const { db } = world;
  const { room, accounts } = await crowdIn(db, people);
  const doomed = await gatewayWithMetrics(world);
  const other = await gatewayWithMetrics(world);
  const [first] = accounts;
  if (first) await expectEndedByDeletion(db, first, doomed, other);
  const readers = await follow(accounts, queuesEach, (failures) =>
    failures === 0 ? doomed.url : other.url,
  );
  try {
    await allOpen(doomed.metrics, readers.length);
    const sent = await send(other.url, room, accounts, 3);
    const [, during] = await Promise.all([
      doomed.process.kill(),
      send(other.url, room, accounts, 4),
    ]);
    const after = await send(other.url, room, accounts, 3);
    const right = await inOrderOfCommit(db, [...sent, ...during, ...after]);
    for (const reader of readers) {
      await reader.waitForMessages(right.length);
      expect(reader.messages).to.deep.equal(right);
    }
    const failed = readers.filter(({ failures }) => failures.length > 0);
    expect(failed, "polls that were cut off").to.have.lengthOf(readers.length);
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
  }
}

async function stopsInTurn(world: World): Promise<void> {
  const { db } = world;
  const { room, accounts } = await crowdIn(db, 5);
  const ending = await gatewayWithMetrics(world);
  const readers = await follow(accounts, 2, () => ending.url);
  await allOpen(ending.metrics, readers.length);
  const answered = readers.map((reader) => reader.finish());
  ending.process.signal("SIGTERM");
  await Promise.all(answered);
  for (const { heartbeats, messages, failures } of readers) {
    expect(heartbeats).to.have.lengthOf(1);
    expect([...messages, ...failures]).to.deep.equal([]);
  }
  await waitFor(() => !ending.process.running(), { what: "it has ended" });
  expect(await ending.process.exit).to.deep.equal({ code: 0, signal: null });

  const next = await gatewayWithMetrics(world);
  const again = readers.map(({ queueId, heartbeats }, i) =>
    followQueue(
      accounts.at(Math.floor(i / 2))!,
      { queueId, lastId: heartbeats.at(0)! },
      () => next.url,
    ),
  );
  try {
    const sent = await inOrderOfCommit(db, await send(next.url, room, accounts, 2));
    for (const reader of again) {
      await reader.waitForMessages(sent.length);
      expect(reader.messages).to.deep.equal(sent);
      expect(reader.failures).to.deep.equal([]);
    }
  } finally {
    await Promise.all(again.map((reader) => reader.stop()));
  }
}

/** Checks that a poll on one process ends when another process deletes its queue. */
async function expectEndedByDeletion(
  db: Database,
  account: TestAccount,
  polled: RunningGateway,
  other: RunningGateway,
): Promise<void> {
  const client = clientOf(polled.url, account);
  // Queues with such a short idle time-out are marked as used at every poll.
  const { body: queue } = await client.post("/api/v1/register", {
    fetch_event_types: [],
    idle_queue_timeout: 59,
  });
  const queueId = String(queue["queue_id"]);
  const params = { queue_id: queueId, last_event_id: queue["last_event_id"] };
  await client.get("/api/v1/events", { ...params, dont_block: true });
  await setUnusedFor(db, 30, [queueId]);
  const polling = client.get("/api/v1/events", params);
  await waitFor(async () => (await unusedFor(db, queueId)) < 30, { what: "the poll is noted" });
  // It is noted before it waits.
  await allOpen(polled.metrics, 1);
  const deleted = await clientOf(other.url, account).delete("/api/v1/events", {
    queue_id: queueId,
  });
  expect(deleted.status).to.equal(200);
  const { status, body } = await polling;
  expect(status).to.equal(200);
  expect(body["events"]).to.deep.equal([]);
  const later = await client.get("/api/v1/events", params);
  expect(later.body).to.include({ code: "BAD_EVENT_QUEUE_ID", queue_id: queueId });
}

interface RunningGateway {
  readonly process: Awaited<ReturnType<World["gateway"]>>;
  readonly url: string;
  /** The port of its metrics. */
  readonly metrics: number;
}

async function gatewayWithMetrics(world: World): Promise<RunningGateway> {
  const metrics = await reservePort();
  const process = await world.gateway({ METRICS_PORT: String(metrics) });
  return { process, url: process.url, metrics };
}

async function crowdIn(
  db: Database,
  count: number,
): Promise<{ room: TestChannel; accounts: TestAccount[] }> {
  const org = await organization(db);
  const accounts: TestAccount[] = [];
  for (let i = 0; i < count; i++) accounts.push(await user(db, org.realm));
  return { accounts, room: await channel(db, org.owner, { subscribers: accounts }) };
}

/** Registers queues for each account, each with a client that has begun to poll. */
async function follow(
  accounts: readonly TestAccount[],
  each: number,
  address: (failures: number) => string,
): Promise<QueueReader[]> {
  const owners = accounts.flatMap((account) => Array<TestAccount>(each).fill(account));
  return Promise.all(
    owners.map(async (account) =>
      followQueue(account, await registerReader(address(0), account), address),
    ),
  );
}

async function allOpen(metrics: number, count: number): Promise<void> {
  await waitFor(async () => (await gaugeOf(metrics, "carillon_polls_open")) === count, {
    what: `${count} polls are open`,
  });
}

/**
 * Sends messages of several accounts at the same time.
 * @returns their ids
 */
async function send(
  url: string,
  room: TestChannel,
  accounts: readonly TestAccount[],
  count: number,
): Promise<number[]> {
  return Promise.all(
    accounts.slice(0, count).map((account) => {
      const sent = async () => {
        const { status, text, body } = await clientOf(url, account).post("/api/v1/messages", {
          type: "channel",
          to: room.id,
          topic: "faults",
          content: "Told once",
        });
        if (status !== 200) throw new Error(`sending answered ${status}: ${text}`);
        return Number(body["id"]);
      };
      // A gateway on a busy machine refuses requests that wait too long for a connection; such a message was not
      // sent.
      return waitFor(sent, { what: "a message is sent" });
    }),
  );
}

/** Returns the ids in the order that all queues have to keep. */
async function inOrderOfCommit(db: Database, ids: readonly number[]): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(
    `SELECT (payload->'message'->>'id')::bigint AS id FROM event_log
     WHERE type = 'message' AND (payload->'message'->>'id')::bigint = ANY($1::bigint[]) ORDER BY seq`,
    [ids],
  );
  return rows.map(({ id }) => id);
}
