import { setTimeout as pause } from "node:timers/promises";
import { silentLogger } from "@carillon/kit";
import { connectQueues } from "@carillon/queue";
import { createDeliveryJobPublisher } from "@carillon/scheduling";
import { pendingOf, writeDueRows } from "./lib/due-rows.ts";
import { keepScheduling, latenessBetween } from "./lib/quiet-organization.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { median, quantile } from "./lib/statistics.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Measures how much 100,000 due messages, of one organization or of ten, delay the messages of another organization.
const flood = 100_000;
/** Time between two messages of the quiet organization, in milliseconds. */
const everyMs = 100;
/** Seconds from scheduling to due time, in rotation. A message on short notice gets its own delivery job. */
const notice = [1, 4];

const rows: Row[] = [];
for (const backend of backends)
  for (const floods of [1, 10]) rows.push(await measure(backend, floods));
await report("fairness", rows);
process.exit(0);

async function measure(backend: BackendName, floods: number): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const quiet = await createWorld(database.db, 5, 10);
  const loud: World[] = [];
  for (let n = 0; n < floods; n++) loud.push(await createWorld(database.db, 50 / floods, 10));
  const queues = await connectQueues({
    databaseUrl: database.url,
    redisUrl: database.redisUrl,
    log: silentLogger,
  });
  const deliveryJobs = createDeliveryJobPublisher({ queues, db: database.db, log: silentLogger });
  const worker = await startWorker(database);

  const due = Math.ceil(Date.now() / 1_000) + 25;
  for (const world of loud) {
    const { first } = await writeDueRows(database, world, flood / floods, due);
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
  if (Date.now() > (due - 2) * 1_000) throw new Error("scheduling took too long");
  await pause((due - 5) * 1_000 - Date.now());

  let over = false;
  const writing = keepScheduling(database, quiet, deliveryJobs, {
    everyMs,
    notice,
    over: () => over,
  });
  const left = async () => {
    const counts = await Promise.all(loud.map((world) => pendingOf(database, world)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  await pause(due * 1_000 - Date.now());
  while ((await left()) > 0) await pause(500);
  const end = Date.now() / 1_000;
  over = true;
  await writing;
  while ((await pendingOf(database, quiet)) > 0) await pause(100);
  const late = await latenessBetween(database, quiet, due, end);
  await worker.stop();
  await deliveryJobs.idle();
  await queues.close();
  await database.drop();

  const p99 = quantile(late, 0.99);
  const show = (seconds: number) => `${(seconds * 1_000).toFixed(0)} ms`;
  const rate = flood / (end - due);
  say(`${backend}, ${floods}: ${rate.toFixed(0)}/s, p99 ${show(p99)}`);
  const who = floods === 1 ? "one organization" : `${floods} organizations together`;
  return {
    question: `100,000 messages of ${who} due in the same second, ${backend} queues: lateness of another organization's messages meanwhile, p99 of ${late.length}`,
    value: `${show(p99)} (median ${show(median(late))}, worst ${show(Math.max(...late))}; the 100,000 at ${rate.toFixed(0)}/s)`,
    target: "within 2 s",
    holds: p99 <= 2,
  };
}
