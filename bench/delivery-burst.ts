import type { Child } from "./lib/child.ts";
import { prepareBurst } from "./lib/burst.ts";
import { startOtherWorker } from "./lib/other-checkout.ts";
import { startPeer, type Peer } from "./lib/peer.ts";
import { report, say, type Row } from "./lib/report.ts";
import {
  backends,
  createBenchDatabase,
  type BackendName,
  type BenchDatabase,
} from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Compares the rate at which the worker sends messages due in the same second with the rate of a peer that runs one
// bare INSERT for each job. With BEFORE, the folder of another, already built checkout, also compares with that build.
const before = process.env["BEFORE"];
const messages = 5_000;
// Seven rounds, because the rates of both sides vary by half from round to round.
const rounds = 7;
const concurrencies = [10, 20, 50];

const rows: Row[] = [];
for (const backend of backends) {
  rows.push(await measure(backend));
  if (before) rows.push(await againstBefore(backend, before));
}
await report("delivery-burst", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  const burst = await prepareBurst(database, world);
  const worker = await startWorker(database);
  const { peer, name } = await warmPeer(backend, database);
  await burst.run(messages);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    ours.push(messages / (await burst.run(messages)).seconds);
    theirs.push(messages / (await peer.run(messages)).seconds);
    say(
      `${backend}, round ${round}: ${ours.at(-1)!.toFixed(0)}/s, ${name} ${theirs.at(-1)!.toFixed(0)}/s`,
    );
  }
  await peer.stop();
  await worker.stop();
  await burst.close();
  await database.drop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `5,000 messages of 500 senders due in the same second, sent in full, ${backend} queues, against ${name} with one bare INSERT a job`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} messages/s against ${spread(theirs)} jobs/s)`,
    target: "at least 1.0 ×",
    holds: ratio >= 1,
  };
}

/** Alternates bursts between the workers of both builds. Each starts anew and is warmed up by one burst. */
async function againstBefore(backend: BackendName, checkout: string): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  const burst = await prepareBurst(database, world);
  const rate = async (start: () => Promise<Child>) => {
    const worker = await start();
    await burst.run(messages);
    const { seconds } = await burst.run(messages);
    await worker.stop();
    return messages / seconds;
  };
  const now = () => rate(() => startWorker(database));
  const other = () => rate(() => startOtherWorker(database, checkout));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const isOtherFirst = round % 2 === 0;
    if (isOtherFirst) theirs.push(await other());
    ours.push(await now());
    if (!isOtherFirst) theirs.push(await other());
    say(
      `${backend}, round ${round}: ${ours.at(-1)!.toFixed(0)}/s, the other checkout ${theirs.at(-1)!.toFixed(0)}/s`,
    );
  }
  await burst.close();
  await database.drop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `5,000 messages of 500 senders due in the same second, sent in full, ${backend} queues, against the build of another checkout`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} messages/s against ${spread(theirs)})`,
    target: "at least 0.97 ×",
    holds: ratio >= 0.97,
  };
}

/** Starts the peer in its fastest configuration and warms it up. */
async function warmPeer(
  backend: BackendName,
  database: BenchDatabase,
): Promise<{ peer: Peer; name: string }> {
  if (backend === "postgres") {
    const peer = await startPeer("graphile", database);
    await peer.run(messages);
    return { peer, name: "graphile-worker (local queue 500, batched completion, 24 at once)" };
  }
  let best: { peer: Peer; rate: number; concurrency: number } | undefined;
  for (const concurrency of concurrencies) {
    const peer = await startPeer("bullmq", database, { CONCURRENCY: String(concurrency) });
    await peer.run(messages);
    const rate = messages / (await peer.run(messages)).seconds;
    say(`bare BullMQ, ${concurrency} at once: ${rate.toFixed(0)}/s`);
    const loser = best && best.rate >= rate ? peer : best?.peer;
    if (!best || rate > best.rate) best = { peer, rate, concurrency };
    await loser?.stop();
  }
  return {
    peer: best!.peer,
    name: `bare BullMQ on Redis (${best!.concurrency} at once, its best)`,
  };
}
