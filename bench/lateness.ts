import { setTimeout as pause } from "node:timers/promises";
import { prepareBurst } from "./lib/burst.ts";
import { report, say, type Row } from "./lib/report.ts";
import { scheduleRequest } from "./lib/requests.ts";
import {
  backends,
  createBenchDatabase,
  type BackendName,
  type BenchDatabase,
} from "./lib/servers.ts";
import { median, quantile } from "./lib/statistics.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Measures how late messages are: the last of 1,000 that are due in the same second, and single messages.
const crowd = 1_000;
const rounds = 3;
const loneCount = 45;

const rows: Row[] = [];
for (const backend of backends) rows.push(...(await measure(backend)));
await report("lateness", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row[]> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  const worker = await startWorker(database);
  const gateway = await startGateway(database);
  const lasts: number[] = [];
  const burst = await prepareBurst(database, world);
  // There is no warm-up: a worker that has just started must be in time, too.
  for (let round = 1; round <= rounds; round++) lasts.push((await burst.run(crowd)).seconds);
  await burst.close();
  const worst = Math.max(...lasts);
  say(`${backend}: the last of ${crowd} after ${lasts.map((s) => `${s.toFixed(2)} s`).join(", ")}`);
  const late = await loneMessages(database, world, gateway.port);
  const p95 = quantile(late, 0.95);
  say(
    `${backend}: lone messages, median ${(median(late) * 1_000).toFixed(0)} ms, p95 ${(p95 * 1_000).toFixed(0)} ms`,
  );
  await gateway.stop();
  await worker.stop();
  await database.drop();
  return [
    {
      question: `1,000 messages due in the same second, ${backend} queues: lateness of the last`,
      value: `${worst.toFixed(2)} s, the worst of ${rounds} rounds`,
      target: "within 2 s",
      holds: worst <= 2,
    },
    {
      question: `a lone message, ${backend} queues: lateness, p95 of ${loneCount}`,
      value: `${(p95 * 1_000).toFixed(0)} ms (median ${(median(late) * 1_000).toFixed(0)} ms, worst ${(Math.max(...late) * 1_000).toFixed(0)} ms)`,
      target: "within 250 ms",
      holds: p95 <= 0.25,
    },
  ];
}

/** Schedules one message for each second, 1 to 5.5 s before. @returns seconds from each due time to its commit */
async function loneMessages({ db }: BenchDatabase, world: World, port: number): Promise<number[]> {
  const start = Math.ceil(Date.now() / 1_000) + 6;
  const ids = await Promise.all(
    Array.from({ length: loneCount }, async (_, n) => {
      const due = start + n;
      // The fraction of a second varies, as it does when people send requests.
      const notice = 1 + ((n * 7) % 5) + ((n * 37) % 100) / 200;
      await pause((due - notice) * 1_000 - Date.now());
      return schedule(port, world, n, due);
    }),
  );
  await pause((start + loneCount + 1) * 1_000 - Date.now());
  const found = await db.rows<{ late: number }>(
    `SELECT extract(epoch FROM pg_xact_commit_timestamp(m.xmin) - s.deliver_at)::float8 AS late
     FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id WHERE s.id = ANY($1::bigint[])`,
    [ids],
  );
  if (found.length !== loneCount) throw new Error(`${found.length} of ${loneCount} were sent`);
  return found.map(({ late }) => late);
}

/** Schedules a message. @returns its id */
async function schedule(port: number, world: World, n: number, due: number): Promise<number> {
  const { path, ...request } = scheduleRequest(world, n, due);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request);
  const body = (await response.json()) as { scheduled_message_id?: number };
  if (body.scheduled_message_id === undefined) throw new Error(`refused: ${JSON.stringify(body)}`);
  return body.scheduled_message_id;
}
