import { sweepRetention } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import { loadavg } from "node:os";
import { startLoad, type Load } from "./lib/load.ts";
import { fillPast } from "./lib/past.ts";
import { report, say } from "./lib/report.ts";
import { processorMsOf } from "./lib/settle.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures the deletion of expired messages, without load and while others send.
const rounds = 3;
const channels = 20;
const subscribers = 10;
/** Messages that the sweep deletes in each round without load. */
const alone = 20_000;
/** Seconds of each measurement of sending: one without a sweep, and one during a sweep that takes longer. */
const seconds = 3;
/** Messages that are to be deleted while others send. */
const during = 75_000;

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, channels, subscribers);
const parts = ["alone", "during"] as const;
const sizes = { alone, during };
// Expired messages have the lowest ids, as in production, and messages sent meanwhile have higher ones.
let age = 10_000;
const chunks: Array<{ part: (typeof parts)[number]; age: number }> = [];
for (let round = 0; round < rounds; round++)
  for (const part of parts) {
    age -= 10;
    await fillPast(db, world, sizes[part], age);
    chunks.push({ part, age });
  }
await db.rows("VACUUM ANALYZE");
say(`${chunks.reduce((sum, { part }) => sum + sizes[part], 0)} past messages created`);
const gateway = await startGateway(database);
const load = await startLoad(world, "send");
await load.run(gateway.port, seconds);

const rates = { alone: [] as number[], during: [] as number[] };
/** CPU time of PostgreSQL, in milliseconds, per thousand messages that the sweep deletes without load. */
const costs: number[] = [];
const sends = { without: [] as number[], meanwhile: [] as number[] };
for (const { part, age: days } of chunks) {
  await db.rows("CHECKPOINT");
  const startedAt = performance.now();
  const before = await backendsMs();
  if (part === "alone") await sweep(days);
  if (part === "during") await measureSends(load, days);
  else {
    rates[part].push(sizes[part] / ((performance.now() - startedAt) / 1_000));
    costs.push((((await backendsMs()) - before) / sizes[part]) * 1_000);
  }
  say(
    `${part}: ${rates[part].at(-1)?.toFixed(0)} messages/s, load average ${loadavg()[0]?.toFixed(1)}`,
  );
}
await load.stop();
await gateway.stop();
await database.drop();

const rate = median(rates.alone);
const kept = medianRatio(sends.meanwhile, sends.without);
await report("retention", [
  {
    question: `retention removes messages with ${subscribers} copies each, from ${channels} channels, with their events, without other load`,
    value: `${spread(rates.alone)} messages/s (${spread(costs)} ms of PostgreSQL's processor time for a thousand)`,
    target: "at least 20,000 messages/s",
    holds: rate >= 20_000,
  },
  {
    question: `POST /messages, 8 in flight, while retention removes as fast as it can, against the same without retention`,
    value: `${kept.toFixed(2)} × (${spread(sends.meanwhile)} requests/s against ${spread(sends.without)}; meanwhile ${spread(rates.during)} messages/s were removed)`,
    target: "at least 0.66 ×",
    holds: kept >= 0.66,
  },
]);
process.exit(0);

/** Returns the CPU time that the connected backend processes have used, in milliseconds. */
async function backendsMs(): Promise<number> {
  const rows = await db.rows<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
  );
  return rows.reduce((sum, { pid }) => sum + processorMsOf(pid), 0);
}

/**
 * Deletes expired messages until all are deleted or `signal` aborts.
 * @param days age of the messages to delete
 * @returns the number of deleted messages
 */
async function sweep(days: number, signal = new AbortController().signal): Promise<number> {
  await db.rows("UPDATE channels SET message_retention_days = $1", [days - 5]);
  await db.rows("DELETE FROM daily_work");
  return sweepRetention({ db, log: silentLogger, signal });
}

/** Measures sending without a sweep, and during a sweep of messages of the given age. */
async function measureSends(loader: Load, days: number): Promise<void> {
  sends.without.push((await loader.run(gateway.port, seconds)).rate);
  const ending = new AbortController();
  const startedAt = performance.now();
  const sweeping = sweep(days, ending.signal).then((removed) => {
    rates.during.push(removed / ((performance.now() - startedAt) / 1_000));
    return removed;
  });
  sends.meanwhile.push((await loader.run(gateway.port, seconds)).rate);
  ending.abort();
  if ((await sweeping) >= during) throw new Error("the sweep ended before the load");
  // Deletes the rest, so that the next round starts without it.
  await sweep(days);
}
