import { readFileSync } from "node:fs";
import { prepareBurst } from "./lib/burst.ts";
import { measureAtRest, type NodeAtRest } from "./lib/at-rest.ts";
import type { Child } from "./lib/child.ts";
import { startLoad } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { serverEnvironment, startGateway, startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures the memory of an idle `npm start`, before and after load, and the peak memory of gateway and worker under load.
const messages = 5_000;
const bursts = 2;
const seconds = 10;
const limitMb = 160;
/** Limits of memory at rest: of a gateway or worker, and of all processes of `npm start` together. */
const restMb = 100;
const allMb = 320;
/** Limit of the memory of all processes of `npm start` together, half a minute after load. */
const afterLoadMb = 360;

const rows: Row[] = [...(await atRest()), await afterLoad()];
for (const backend of backends) rows.push(...(await measure(backend)));
await report("memory", rows);
process.exit(0);

async function atRest(): Promise<Row[]> {
  const nodes = await measureAtRest();
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
  const all = sumOf(nodes);
  say(`at rest, all: ${shown(all)}`);
  return [
    ...each,
    {
      question: `memory of all ${nodes.length} Node processes at rest together (RSS), ${how}`,
      value: shown(all),
      target: `at most ${allMb} MB`,
      holds: all.rss <= allMb,
    },
  ];
}

/** Measures an `npm start` on a bench database, after the load of {@link measure}. */
async function afterLoad(): Promise<Row> {
  const database = await createBenchDatabase("postgres");
  const world = await createWorld(database.db, 50, 10);
  const variables = { ...serverEnvironment(database), NODE_ENV: undefined };
  const nodes = await measureAtRest(variables, async (port) => {
    const load = await startLoad(world);
    await load.run(port, seconds);
    await load.stop();
    const burst = await prepareBurst(database, world);
    for (let round = 1; round <= bursts; round++) await burst.run(messages);
    await burst.close();
  });
  await database.drop();
  const all = sumOf(nodes);
  const each = nodes.map((node) => `${node.name} ${node.rss.toFixed(0)}`).join(", ");
  say(`after load: ${shown(all)}; ${each}`);
  return {
    question: `memory of all ${nodes.length} Node processes of \`npm start\` together (RSS), half a minute after 32 requests in flight for ${seconds} s and ${bursts} × 5,000 due messages`,
    value: `${shown(all)}: ${each}`,
    target: `at most ${afterLoadMb} MB`,
    holds: all.rss <= afterLoadMb,
  };
}

type Memory = Pick<NodeAtRest, "rss" | "pss">;

function sumOf(nodes: readonly NodeAtRest[]): Memory {
  const sum = (field: keyof Memory) => nodes.reduce((total, node) => total + node[field], 0);
  return { rss: sum("rss"), pss: sum("pss") };
}

function shown({ rss, pss }: Memory): string {
  return `${rss.toFixed(0)} MB (PSS ${pss.toFixed(0)} MB)`;
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
