import type { QueueOptions } from "@carillon/events";
import { addCrowd } from "./lib/crowd.ts";
import { ask } from "./lib/http.ts";
import { report, say } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway, type RunningGateway } from "./lib/system.ts";
import { createWorld, type BenchChannel, type World } from "./lib/world.ts";

// Compares the cost of sending to 10,000 receivers when each has an event queue with the cost when none has one.
const receivers = 10_000;
const rounds = 20;
const sends = 5;
const limit = 1.1;

interface Side {
  readonly database: BenchDatabase;
  readonly world: World;
  readonly gateway: RunningGateway;
  /** Milliseconds of a request, by round. */
  readonly costs: number[];
}

const without = await prepare(0);
const all = await prepare(receivers);
const bare: number[] = [];
// Alternates between both sides request by request, so that other load on the machine affects both. The first round is
// a warm-up.
for (let round = 0; round <= rounds; round++) {
  const turns = round % 2 === 0 ? [without, all] : [all, without];
  const times = new Map<Side, number[]>(turns.map((side) => [side, []]));
  for (let n = 0; n < sends; n++)
    for (const side of turns) times.get(side)!.push(await send(side, round * sends + n));
  const least = await insertCopies(without, round);
  if (round === 0) continue;
  for (const side of turns) side.costs.push(median(times.get(side)!));
  bare.push(least);
}
const ratio = medianRatio(all.costs, without.costs);
say(`${spread(without.costs, 1)} ms without queues, ${spread(all.costs, 1)} ms with`);
await report("fan-out", [
  {
    question:
      "POST /messages to a channel of 10,000 subscribers, until the answer: with 10,000 registered event queues against none",
    value: `${ratio.toFixed(2)} × (ms: ${spread(without.costs, 1)} → ${spread(all.costs, 1)}; a bare INSERT of as many receivers' rows ${median(bare).toFixed(1)})`,
    target: `at most ${limit} ×`,
    holds: ratio <= limit,
  },
]);
for (const { gateway } of [without, all]) await gateway.stop();
process.exit(0);

async function prepare(queues: number): Promise<Side> {
  const database = await createBenchDatabase("postgres");
  const { db } = database;
  const world = await createWorld(db, 1, 10);
  const [channel] = world.channels;
  await addCrowd(db, world, channel!, receivers - channel!.members.length);
  if (queues > 0) await insertQueues(database, world, channel!);
  await db.rows("CREATE TABLE bench_copies (LIKE user_messages INCLUDING ALL)");
  await db.rows("VACUUM ANALYZE");
  await db.rows("CHECKPOINT");
  const gateway = await startGateway(database);
  say(`${queues} queues are registered`);
  return { database, world, gateway, costs: [] };
}

/** Inserts an event queue for each subscriber, as registering does. */
async function insertQueues(
  { db }: BenchDatabase,
  { realmId }: World,
  channel: BenchChannel,
): Promise<void> {
  const options: QueueOptions = {
    eventTypes: ["message"],
    allPublicChannels: false,
    applyMarkdown: false,
    clientGravatar: true,
    slimPresence: false,
    narrow: [],
    capabilities: [],
  };
  const rows = await db.rows(
    `INSERT INTO event_queue (queue_id, realm_id, user_id, base_seq, options, idle_timeout)
     SELECT gen_random_uuid(), h.realm_id, s.user_id, h.seq, $3, 3600
     FROM subscriptions s, event_head h WHERE s.channel_id = $1 AND h.realm_id = $2 RETURNING queue_id`,
    [channel.id, realmId, JSON.stringify(options)],
  );
  if (rows.length !== receivers) throw new Error(`${rows.length} queues were registered`);
}

/** Sends a message. @returns milliseconds */
async function send({ world, gateway }: Side, n: number): Promise<number> {
  const request = sendRequest(world, n);
  const startedAt = performance.now();
  await ask(gateway.port, request);
  return performance.now() - startedAt;
}

/** Inserts a row for each receiver, the minimal write of sending. @returns milliseconds */
async function insertCopies({ database: { db }, world }: Side, n: number): Promise<number> {
  const startedAt = performance.now();
  await db.rows(
    "INSERT INTO bench_copies (user_id, message_id, flags) SELECT user_id, $2, 0 FROM subscriptions WHERE channel_id = $1",
    [world.channels[0]!.id, n + 1],
  );
  return performance.now() - startedAt;
}
