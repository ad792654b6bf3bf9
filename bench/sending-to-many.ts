import { setTimeout as pause } from "node:timers/promises";
import { addCrowd } from "./lib/crowd.ts";
import { ask } from "./lib/http.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type BenchChannel } from "./lib/world.ts";
import { startWatcher } from "./worst-request/watch.ts";

// Compares sending to a channel of 10,000 subscribers with sending to one of 10, and measures how it delays other
// requests.
const many = 10_000;
const rounds = 20;
const times = 10;
const longerMs = 50;

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, 2, 10);
const [small, large] = world.channels as [BenchChannel, BenchChannel];
await addCrowd(db, world, large, many - large.members.length);
await db.rows("VACUUM ANALYZE");
await db.rows("CHECKPOINT");
const gateway = await startGateway(database);
let sent = 0;
const rows = [await measureCost(), ...(await measureWaits())];
await gateway.stop();
await report("sending-to-many", rows);
await database.drop();
process.exit(0);

/** Sends a message to a channel. @returns milliseconds until the answer */
async function send(channel: BenchChannel): Promise<number> {
  const request = sendRequest({ channels: [channel] }, sent++);
  const startedAt = performance.now();
  await ask(gateway.port, request);
  return performance.now() - startedAt;
}

/** Compares the times until the answer, alternating request by request. The first round is a warm-up. */
async function measureCost(): Promise<Row> {
  const costs = { few: [] as number[], all: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const few = await send(small);
    const all = await send(large);
    if (round === 0) continue;
    costs.few.push(few);
    costs.all.push(all);
  }
  const ratio = medianRatio(costs.all, costs.few);
  return {
    question:
      "POST /messages to a channel of 10,000 subscribers against one of 10, until the answer",
    value: `${ratio.toFixed(1)} × (ms: ${spread(costs.all, 1)} against ${spread(costs.few, 1)})`,
    target: `at most ${times} ×`,
    holds: ratio <= times,
  };
}

/**
 * Measures how a message to the large channel delays a client that requests its account every 20 ms, and a message that
 * is sent to the small channel 5 ms later.
 */
async function measureWaits(): Promise<Row[]> {
  const watcher = await startWatcher(gateway.port, small.members[0]!);
  await pause(3_000);
  const waits = { quiet: [] as number[], beside: [] as number[] };
  const sends = { quiet: [] as number[], beside: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await watcher.read();
    sends.quiet.push(await send(small));
    waits.quiet.push((await watcher.read()).account);
    const [, own] = await Promise.all([send(large), pause(5).then(() => send(small))]);
    sends.beside.push(own);
    waits.beside.push((await watcher.read()).account);
    await pause(100);
  }
  await watcher.stop();
  const row = (what: string, { quiet, beside }: typeof waits): Row => {
    const more = Math.max(0, median(beside) - median(quiet));
    say(`${what}: ${spread(quiet)} ms, ${spread(beside)} ms beside`);
    return {
      question: `${what} while a message is sent to 10,000 subscribers, beyond that of a quiet time, median of ${rounds}`,
      value: `${more.toFixed(0)} ms longer (${spread(beside)} against ${spread(quiet)} ms)`,
      target: `at most ${longerMs} ms longer`,
      holds: more <= longerMs,
    };
  };
  return [
    row("the longest wait of a client that requests its account every 20 ms", waits),
    row("sending to 10 subscribers, 5 ms later in the same organization,", sends),
  ];
}
