import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { connectQueues } from "@carillon/queue";
import { createDeliveryJobPublisher } from "@carillon/scheduling";
import { pendingOf, writeDueRows } from "./lib/due-rows.ts";
import { serverTimes } from "./lib/processor-time.ts";
import { report, type Row } from "./lib/report.ts";
import { startLoad } from "./lib/load.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { processorMs } from "./lib/settle.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures the cost of one more account, message, copy and event: bytes of tables and indexes, and CPU time.
const channels = 200;
const each = 10;
const messages = 20_000;
const sendSeconds = 20;
const sendersAtOnce = 32;

const database = await createBenchDatabase("postgres");
const { db } = database;
const rows: Row[] = [];
const note = (question: string, value: string) =>
  rows.push({ question, value, target: "none", holds: true });

const empty = await sizes(db);
const world = await createWorld(db, channels, each);
const peopled = await sizes(db);
const perUser = (grown(empty, peopled) - grown(empty, peopled, "channels")) / (channels * each);
note(
  `an account with its settings and its subscription to a channel of ${each}, without the row of the channel`,
  bytes(perUser),
);

const due = Math.ceil(Date.now() / 1_000) + 20;
const { first } = await writeDueRows(database, world, messages, due);
const pending = await sizes(db);
note("a scheduled message that waits", bytes(grown(peopled, pending) / messages));

const queues = await connectQueues({
  databaseUrl: database.url,
  redisUrl: undefined,
  log: silentLogger,
});
const deliveryJobs = createDeliveryJobPublisher({ queues, db, log: silentLogger });
deliveryJobs.add({ realmId: world.realmId, scheduledMessageId: first, version: 1, deliverAt: due });
await deliveryJobs.idle();
const worker = await startWorker(database);
const times = await serverTimes(database);
await pause(due * 1_000 - Date.now());
const before = { worker: processorMs(worker), postgres: times.postgres() };
while ((await pendingOf(database, world)) > 0) await pause(100);
const delivered = await sizes(db);
const perMessage = (...tables: string[]) =>
  tables.reduce((sum, table) => sum + grown(pending, delivered, table), 0) / messages;
note("a delivered message: its row with indexes and search words", bytes(perMessage("messages")));
note("a copy of a message, for one receiver", bytes(perMessage("user_messages") / each));
note("the events of a delivered message, which are deleted later", bytes(perMessage("event_log")));
note(
  "a delivered message: processor time of worker and PostgreSQL, with queues on PostgreSQL",
  `${milliseconds(processorMs(worker) - before.worker, messages)} + ${milliseconds(times.postgres() - before.postgres, messages)}`,
);
await worker.stop();
await deliveryJobs.idle();
await queues.close();

const gateway = await startGateway(database);
const load = await startLoad(world, "send");
await load.run(gateway.port, 5, sendersAtOnce);
const sending = { gateway: processorMs(gateway), postgres: times.postgres() };
const { answered } = await load.run(gateway.port, sendSeconds, sendersAtOnce);
note(
  `a message sent through the gateway, ${sendersAtOnce} at a time: processor time of gateway and PostgreSQL`,
  `${milliseconds(processorMs(gateway) - sending.gateway, answered)} + ${milliseconds(times.postgres() - sending.postgres, answered)}`,
);
await load.stop();
await gateway.stop();
await database.drop();
await report("scale-costs", rows);
process.exit(0);

/** Returns the bytes of each table with its indexes and TOAST data. */
async function sizes(of: Database): Promise<Map<string, number>> {
  const found = await of.rows<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  return new Map(found.map(({ name, bytes: size }) => [name, size]));
}

/** Returns the growth of one table, or of all tables, in bytes. */
function grown(from: Map<string, number>, to: Map<string, number>, table?: string): number {
  const of = (map: Map<string, number>) =>
    table === undefined ? [...map.values()].reduce((a, b) => a + b, 0) : (map.get(table) ?? 0);
  return of(to) - of(from);
}

function bytes(count: number): string {
  return `${count.toFixed(0)} bytes`;
}

function milliseconds(total: number, count: number): string {
  return `${(total / count).toFixed(2)} ms`;
}
