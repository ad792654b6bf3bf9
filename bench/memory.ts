import { readFileSync } from "node:fs";
import { prepareBurst } from "./lib/burst.ts";
import { measureAtRest } from "./lib/at-rest.ts";
import type { Child } from "./lib/child.ts";
import { startLoad } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures the memory of an idle `npm start`, and the peak memory of gateway and worker under load.
const messages = 5_000;
const bursts = 2;
const seconds = 10;
const limitMb = 160;
/** Limits of memory at rest: of a gateway or worker, and of all processes of `npm start` together. */
const restMb = 100;
const allMb = 320;

const rows: Row[] = await atRest();
for (const backend of backends) rows.push(...(await measure(backend)));
await report("memory", rows);
process.exit(0);

async function atRest(): Promise<Row[]> {
  const nodes = await measureAtRest();
  const shown = ({ rss, pss }: { rss: number; pss: number }) =>
    `${rss.toFixed(0)} MB (PSS ${pss.toFixed(0)} MB)`;
  const how = "half a minute after `npm start`, without a forced garbage collection";
  const each = nodes.map((node) => {
    say(`at rest, ${node.name}: ${shown(node)}`);
    const bounded = node.name === "gateway" || node.name === "worker";
    return {
      question: `memory of the ${node.name} at rest (RSS), ${how}`,
      value: shown(node),
      target: bounded ? `at most ${restMb} MB` : "a part of the sum",
      holds: !bounded || node.rss <= restMb,
    };
  });
  const rss = nodes.reduce((sum, node) => sum + node.rss, 0);
  const pss = nodes.reduce((sum, node) => sum + node.pss, 0);
  const value = shown({ rss, pss });
  say(`at rest, all: ${value}`);
  return [
    ...each,
    {
      question: `memory of all ${nodes.length} Node processes at rest together (RSS), ${how}`,
      value,
      target: `at most ${allMb} MB`,
      holds: rss <= allMb,
    },
  ];
}

async function measure(backend: BackendName): Promise<Row[]> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  const worker = await startWorker(database);
  const gateway = await startGateway(database);
  const load = await startLoad(world);
  await load.run(gateway.port, seconds);
  const burst = await prepareBurst(database, world);
  for (let round = 1; round <= bursts; round++) await burst.run(messages);
  const result = [row(backend, gateway), row(backend, worker)];
  await load.stop();
  await burst.close();
  await gateway.stop();
  await worker.stop();
  await database.drop();
  return result;
}

function row(backend: BackendName, child: Child): Row {
  const status = readFileSync(`/proc/${child.process.pid}/status`, "utf8");
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1_024;
  const peak = megabytes("VmHWM");
  const value = `${peak.toFixed(0)} MB at most, ${megabytes("VmRSS").toFixed(0)} MB at the end`;
  say(`${backend}, ${child.name}: ${value}`);
  return {
    question: `memory of the ${child.name} (RSS), ${backend} queues, while 32 requests in flight schedule for ${seconds} s and ${bursts} × 5,000 messages fall due`,
    value,
    target: `at most ${limitMb} MB`,
    holds: peak <= limitMb,
  };
}
