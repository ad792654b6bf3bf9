import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@carillon/db";
import { deferCopiesOfAbsent, makeMissedCopies } from "@carillon/domain";
import { addCrowd } from "./lib/crowd.ts";
import { ask } from "./lib/http.ts";
import { fillPast } from "./lib/past.ts";
import { report, say } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { comeBack, type Returns } from "./lib/returns.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, quantile, spread } from "./lib/statistics.ts";
import { startGateway, type RunningGateway } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Compares sending to a channel with 10,000 subscribers when copies of the 9,500 people who are away are deferred, and when
// they are written. Measures how long it takes to make the copies of a person who comes back. Then lets 500 people come back
// within 5 s, and measures how long they wait, and how long sending takes meanwhile.
const subscribers = 10_000;
const present = 500;
const rounds = 20;
const sends = 5;
const missed = 100_000;
const returns = 3;
const returning = { people: 500, withinMs: 5_000, missed: 1_000 };

interface Side {
  readonly database: BenchDatabase;
  readonly world: World;
  readonly gateway: RunningGateway;
  /** Milliseconds of a request, by round. */
  readonly costs: number[];
}

const written = await prepare(0);
const deferred = await prepare(14);
const before = new Map([written, deferred].map((side) => [side, 0]));
for (const side of [written, deferred]) before.set(side, await bytes(side));
// Alternates between the sides at each request, so that other load affects both. The first round is a warm-up.
for (let round = 0; round <= rounds; round++) {
  const turns = round % 2 === 0 ? [written, deferred] : [deferred, written];
  const times = new Map<Side, number[]>(turns.map((side) => [side, []]));
  for (let n = 0; n < sends; n++)
    for (const side of turns) times.get(side)!.push(await send(side, round * sends + n));
  if (round > 0) for (const side of turns) side.costs.push(median(times.get(side)!));
}
const perMessage = async (side: Side) =>
  ((await bytes(side)) - before.get(side)!) / (sends * (rounds + 1));
const [room, roomDeferred] = [await perMessage(written), await perMessage(deferred)];
const ratio = medianRatio(deferred.costs, written.costs);
const kilobytes = (value: number) => (value / 1_000).toFixed(0);
for (const { gateway } of [written, deferred]) await gateway.stop();
const coming = await comeBackAlone(deferred.database.db);
const { back, sendsBefore, sendsMeanwhile } = await comeBackTogether(deferred.database);
const [before95, meanwhile95] = [quantile(sendsBefore, 0.95), quantile(sendsMeanwhile, 0.95)];
const seconds = (ms: number) => (ms / 1_000).toFixed(1);

await report("away", [
  {
    question: `POST /messages to a channel of ${subscribers.toLocaleString("en")} of whom ${present} are there, until the answer: copies of the others deferred, against written`,
    value: `${ratio.toFixed(2)} × (ms: ${spread(written.costs, 1)} → ${spread(deferred.costs, 1)})`,
    target: "at most 0.7 ×",
    holds: ratio <= 0.7,
  },
  {
    question: "KB that user_messages and its indexes grow by each such message",
    value: `${(roomDeferred / room).toFixed(3)} × (${kilobytes(room)} → ${kilobytes(roomDeferred)})`,
    target: "at most 0.1 ×",
    holds: roomDeferred <= 0.1 * room,
  },
  {
    question: `Copies of ${missed.toLocaleString("en")} messages of one channel, before the first answer to a person who comes back`,
    value: `${spread(coming)} ms`,
    target: "at most 5,000 ms",
    holds: median(coming) <= 5_000,
  },
  {
    question: `${returning.people} people of one channel come back within ${seconds(returning.withinMs)} s on two gateways, after ${returning.missed.toLocaleString("en")} messages: from the first request to the answer with messages`,
    value: `${seconds(median(back.waits))} s, at most ${seconds(Math.max(...back.waits))} s (${back.refused} refusals, at most ${back.mostRequests} requests each)`,
    target: "at most 4 requests each",
    holds: back.mostRequests <= 4,
  },
  {
    question: "POST /messages to their channel meanwhile, 95th percentile, against before",
    value: `${(meanwhile95 / before95).toFixed(1)} × (${before95.toFixed(0)} → ${meanwhile95.toFixed(0)} ms)`,
    target: "at most 500 ms",
    holds: meanwhile95 <= 500,
  },
]);
process.exit(0);

/** @param days days after which people are away; 0 for never */
async function prepare(days: number): Promise<Side> {
  const database = await createBenchDatabase("postgres");
  const { db } = database;
  const world = await createWorld(db, 1, 10);
  const [channel] = world.channels;
  await addCrowd(db, world, channel!, subscribers - channel!.members.length);
  await sendAway(db, subscribers - present, days);
  await db.rows("VACUUM ANALYZE");
  await db.rows("CHECKPOINT");
  const gateway = await startGateway(database);
  return { database, world, gateway, costs: [] };
}

/** Makes the newest accounts count as away, and defers their copies. */
async function sendAway(db: Database, count: number, days: number): Promise<void> {
  await db.rows(
    `INSERT INTO account_visits (user_id, visited_at)
     SELECT id, now() - interval '30 days' FROM users WHERE NOT is_bot ORDER BY id DESC LIMIT $1
     ON CONFLICT (user_id) DO UPDATE SET visited_at = excluded.visited_at`,
    [count],
  );
  await db.rows("DELETE FROM daily_work");
  const startedAt = performance.now();
  const { signal } = new AbortController();
  const changed = await deferCopiesOfAbsent({ db, signal, days });
  say(`deferred ${changed} subscriptions in ${(performance.now() - startedAt).toFixed(0)} ms`);
}

async function bytes({ database: { db } }: Side): Promise<number> {
  const [row] = await db.rows<{ bytes: number }>(
    "SELECT pg_total_relation_size('user_messages')::float8 AS bytes",
  );
  return row!.bytes;
}

/** Sends a message. @returns milliseconds until its answer */
async function send({ world, gateway }: Side, n: number): Promise<number> {
  const request = sendRequest(world, n);
  const startedAt = performance.now();
  await ask(gateway.port, request);
  return performance.now() - startedAt;
}

/** Lets a person come back several times, after the same number of messages each. @returns milliseconds of each return */
async function comeBackAlone(db: Database): Promise<number[]> {
  const world = await createWorld(db, 1, 2);
  const { realmId } = world;
  const { id } = world.channels[0]!.members[1]!;
  const times: number[] = [];
  for (let n = 0; n < returns; n++) {
    await sendAway(db, 1, 14);
    await fillPast(db, world, missed, 10);
    await db.rows(
      `DELETE FROM user_messages um USING subscriptions s
       WHERE um.user_id = $1 AND s.user_id = $1 AND um.message_id > s.deferred_after`,
      [id],
    );
    const startedAt = performance.now();
    const made = await makeMissedCopies(db, { id, realmId }, 60_000);
    times.push(performance.now() - startedAt);
    if (made !== missed) throw new Error(`${made} copies were made, not ${missed}`);
    say(`made ${made} copies in ${times.at(-1)!.toFixed(0)} ms`);
  }
  return times;
}

interface ReturnsTogether {
  readonly back: Returns;
  /** Milliseconds of the requests that sent messages to the channel. */
  readonly sendsBefore: readonly number[];
  readonly sendsMeanwhile: readonly number[];
}

/** Lets many people come back at the same time, on two gateways, while messages are being sent to their channel. */
async function comeBackTogether(database: BenchDatabase): Promise<ReturnsTogether> {
  const { db } = database;
  const world = await createWorld(db, 1, 4);
  const [channel] = world.channels;
  const people = await addCrowd(db, world, channel!, returning.people);
  await sendAway(db, returning.people, 14);
  await fillPast(db, world, returning.missed, 10);
  await db.rows("DELETE FROM user_messages WHERE user_id = ANY($1)", [people.map(({ id }) => id)]);
  await db.rows("VACUUM ANALYZE");
  await db.rows("CHECKPOINT");
  const gateways = [await startGateway(database), await startGateway(database)];
  const ports = gateways.map(({ port }) => port);
  let sends: number[] = [];
  let isOver = false;
  const sending = (async () => {
    for (let n = 0; !isOver; n++) {
      const startedAt = performance.now();
      await ask(ports[n % ports.length]!, sendRequest(world, n));
      sends.push(performance.now() - startedAt);
      await pause(100);
    }
  })();
  await pause(returning.withinMs);
  const sendsBefore = sends;
  sends = [];
  const back = await comeBack(ports, channel!, people, returning.withinMs);
  isOver = true;
  await sending;
  for (const gateway of gateways) await gateway.stop();
  return { back, sendsBefore, sendsMeanwhile: sends };
}
