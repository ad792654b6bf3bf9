import { setTimeout as pause } from "node:timers/promises";
import { silentLogger } from "@carillon/kit";
import { connectQueues } from "@carillon/queue";
import { createDeliveryJobPublisher } from "@carillon/scheduling";
import type { Child } from "./lib/child.ts";
import { pendingOf, writeDueRows } from "./lib/due-rows.ts";
import { serverTimes } from "./lib/processor-time.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { processorMs } from "./lib/settle.ts";
import { median, spread } from "./lib/statistics.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Measures how the delivery rate of ten organizations grows with the number of workers, and which resource limits it.
// Measures it again with workers that get a sixth of a CPU each, as on a machine with more CPUs than they can use.
const organizations = 10;
const rounds = 3;
const cores = 2;
/** A confined worker runs for the first `runMs` of each period and is frozen for the rest, in milliseconds. */
const confined = { periodMs: 60, runMs: 10 };

/** One delivery of all messages. CPU times are seconds per 1,000 messages. */
interface Run {
  readonly rate: number;
  readonly worker: number;
  readonly postgres: number;
  readonly redis: number;
  /** Share of both CPUs that all processes used. */
  readonly used: number;
}

const backend = backends.at(-1)!;
const database = await createBenchDatabase(backend);
const worlds: World[] = [];
for (let n = 0; n < organizations; n++) worlds.push(await createWorld(database.db, 5, 10));
const times = await serverTimes(database);

const rows: Row[] = [];
const free = await compare([1, 2, 3], 20_000, false);
const tight = await compare([1, 3], 6_000, true);
const ratio = (runs: ReadonlyMap<number, readonly Run[]>) =>
  median(runs.get(3)!.map(({ rate }, round) => rate / runs.get(1)![round]!.rate));
const rates = (runs: readonly Run[]) => spread(runs.map(({ rate }) => rate));
for (const [workers, runs] of free)
  rows.push(usage(`${workers} worker${workers > 1 ? "s" : ""}`, runs));
const usedByOne = median(free.get(1)!.map(({ used }) => used));
rows.push({
  question: `three workers against one, ten organizations, ${backend} queues, on this machine's ${cores} processors`,
  value: `${ratio(free).toFixed(2)} × (${rates(free.get(3)!)} messages/s against ${rates(free.get(1)!)}; one worker and the servers use ${percent(usedByOne)} of the processors)`,
  target: "at least 1.6 ×, or the processors used up by one",
  holds: ratio(free) >= 1.6 || usedByOne * 1.6 > 1,
});
rows.push({
  question: `three workers against one, ten organizations, ${backend} queues, with a sixth of a processor for each worker`,
  value: `${ratio(tight).toFixed(2)} × (${rates(tight.get(3)!)} messages/s against ${rates(tight.get(1)!)})`,
  target: "at least 1.6 ×",
  holds: ratio(tight) >= 1.6,
});
await report("scale-workers", rows);
await database.drop();
process.exit(0);

/** Measures each number of workers in every round. @param confine limits each worker to a sixth of a CPU */
async function compare(
  numbers: readonly number[],
  messages: number,
  confine: boolean,
): Promise<Map<number, Run[]>> {
  const runs = new Map<number, Run[]>(numbers.map((number) => [number, []]));
  // This run is a warm-up.
  await deliverOnce(1, messages, false);
  for (let round = 1; round <= rounds; round++)
    for (const number of numbers) {
      const run = await deliverOnce(number, messages, confine);
      runs.get(number)!.push(run);
      say(
        `${number} of ${confine ? "a sixth" : "1"}: ${run.rate.toFixed(0)}/s, ${percent(run.used)}`,
      );
    }
  return runs;
}

/** Delivers all messages with this number of workers. */
async function deliverOnce(number: number, messages: number, confine: boolean): Promise<Run> {
  const workers: Child[] = [];
  for (let n = 0; n < number; n++) workers.push(await startWorker(database));
  const queues = await connectQueues({
    databaseUrl: database.url,
    redisUrl: database.redisUrl,
    log: silentLogger,
  });
  const deliveryJobs = createDeliveryJobPublisher({ queues, db: database.db, log: silentLogger });
  const due = Math.ceil(Date.now() / 1_000) + 8;
  const each = messages / organizations;
  for (const world of worlds) {
    const { first } = await writeDueRows(database, world, each, due);
    deliveryJobs.add({
      realmId: world.realmId,
      scheduledMessageId: first,
      version: 1,
      deliverAt: due,
    });
  }
  await deliveryJobs.idle();
  await database.db.rows("ANALYZE scheduled_messages");
  await database.db.rows("CHECKPOINT");
  const used = () => workers.reduce((sum, worker) => sum + processorMs(worker), 0);
  await pause(due * 1_000 - Date.now());
  const before = { worker: used(), postgres: times.postgres(), redis: times.redis() };
  const thaw = confine ? slowDown(workers) : () => {};
  while (await anyPending(database)) await pause(50);
  thaw();
  const after = { worker: used(), postgres: times.postgres(), redis: times.redis() };
  const seconds = (await lastCommit(database, due)) - due;
  for (const worker of workers) await worker.stop();
  await deliveryJobs.idle();
  await queues.close();
  const spent = (what: "worker" | "postgres" | "redis") => (after[what] - before[what]) / messages;
  const { worker, postgres, redis } = {
    worker: spent("worker"),
    postgres: spent("postgres"),
    redis: spent("redis"),
  };
  const rate = messages / seconds;
  return {
    rate,
    worker,
    postgres,
    redis,
    used: ((worker + postgres + redis) * rate) / 1_000 / cores,
  };
}

/** Freezes the workers most of the time, at different times. @returns a function that resumes them */
function slowDown(workers: readonly Child[]): () => void {
  const timers: NodeJS.Timeout[] = [];
  for (const [n, { process: child }] of workers.entries()) {
    const turn = () => {
      child.kill("SIGCONT");
      timers.push(setTimeout(() => child.kill("SIGSTOP"), confined.runMs));
    };
    timers.push(
      setTimeout(
        () => timers.push(setInterval(turn, confined.periodMs)),
        (n * confined.periodMs) / workers.length,
      ),
    );
    child.kill("SIGSTOP");
  }
  return () => {
    for (const timer of timers) clearTimeout(timer);
    for (const { process: child } of workers) child.kill("SIGCONT");
  };
}

async function anyPending(of: BenchDatabase): Promise<boolean> {
  for (const world of worlds) if ((await pendingOf(of, world)) > 0) return true;
  return false;
}

async function lastCommit({ db }: BenchDatabase, due: number): Promise<number> {
  const [row] = await db.rows<{ last: number }>(
    `SELECT max(extract(epoch FROM pg_xact_commit_timestamp(m.xmin)))::float8 AS last
     FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id WHERE s.deliver_at = to_timestamp($1)`,
    [due],
  );
  return row!.last;
}

function usage(who: string, runs: readonly Run[]): Row {
  const of = (what: keyof Run) => median(runs.map((run) => run[what]));
  const seconds = (what: "worker" | "postgres" | "redis") => `${of(what).toFixed(2)} s`;
  return {
    question: `${who}: processor seconds for 1,000 messages of ten copies each`,
    value: `workers ${seconds("worker")}, PostgreSQL ${seconds("postgres")}, Redis ${seconds("redis")}; ${percent(of("used"))} of ${cores} processors at ${of("rate").toFixed(0)}/s`,
    target: "none",
    holds: true,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}
