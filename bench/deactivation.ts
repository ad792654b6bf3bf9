import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "./lib/child.ts";
import {
  createAdministrator,
  createDeparting,
  undoDeactivation,
  type Departing,
} from "./lib/departing.ts";
import { startLoad } from "./lib/load.ts";
import { fillPast } from "./lib/past.ts";
import { report, say } from "./lib/report.ts";
import { credentials } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures the deactivation of an account that has sent many messages: the time until the answer, and the rate at which
// the worker deletes the messages, without load and while others send.
const scale = Number(process.argv[2] ?? 1);
const channels = 20;
/** Subscribers of each channel. */
const subscribers = 10;
const bots = 20;
/** Channel messages that the busy account and its bots have sent. */
const busyMessages = Math.round(200_000 * scale);
/** Rounds that measure the time until the answer. */
const answerRounds = 15;
/** Rounds that measure sending for `seconds`, first without a deletion, then during one that takes longer. */
const rounds = 3;
const seconds = 3;
/** Messages that the worker deletes in each of these rounds. */
const messagesEach = Math.round(60_000 * Math.max(scale, 0.25));

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, channels, subscribers);
const admin = await createAdministrator(db, world);
const quiet = await createDeparting(db, world, "Quiet", bots);
const busy = await createDeparting(db, world, "Busy", bots);
const others: Departing[] = [];
for (let round = 0; round < rounds; round++)
  others.push(await createDeparting(db, world, `Other ${round}`, 1));
// Each channel begins with a message of an account that stays.
await fillPast(db, world, channels, 40);
await fill(busy, busyMessages, 30);
for (const other of others) await fill(other, messagesEach, 20);
await db.rows("VACUUM ANALYZE");
say(`${busyMessages + rounds * messagesEach} past messages created`);
const gateway = await startGateway(database);

const times = { quiet: [] as number[], busy: [] as number[] };
for (let round = -2; round < answerRounds; round++)
  for (const name of round % 2 === 0
    ? (["quiet", "busy"] as const)
    : (["busy", "quiet"] as const)) {
    const who = { quiet, busy }[name];
    const ms = await deactivate(who);
    if (round >= 0) times[name].push(ms);
    await undoDeactivation(db, who);
  }
say(`answers: ${spread(times.quiet)} ms without messages, ${spread(times.busy)} ms with`);

const load = await startLoad(world, "send");
await load.run(gateway.port, seconds);
const worker = await startWorker(database);
const sends = { without: [] as number[], meanwhile: [] as number[] };
const rates = { alone: [] as number[], during: [] as number[] };
for (const other of others) {
  await db.rows("CHECKPOINT");
  sends.without.push((await load.run(gateway.port, seconds)).rate);
  await deactivate(other);
  const before = await countMessages(other);
  const startedAt = performance.now();
  sends.meanwhile.push((await load.run(gateway.port, seconds)).rate);
  const deleted = before - (await countMessages(other));
  if (deleted === before) throw new Error("the deletion ended before the load");
  rates.during.push(deleted / ((performance.now() - startedAt) / 1_000));
  await waitForDeletions();
  say(
    `during: ${rates.during.at(-1)?.toFixed(0)} messages/s, load average ${loadavg()[0]?.toFixed(1)}`,
  );
}
await load.stop();

await db.rows("CHECKPOINT");
const startedAt = performance.now();
await deactivate(busy);
const memory = await memoryUntil(worker, waitForDeletions());
rates.alone.push(busyMessages / ((performance.now() - startedAt) / 1_000));
await worker.stop();
await gateway.stop();
await database.drop();

const ratio = medianRatio(times.busy, times.quiet);
const rate = median(rates.during);
const kept = medianRatio(sends.meanwhile, sends.without);
const growth = memory.late - memory.early;
await report("deactivation", [
  {
    question: `DELETE /users/{id} until the answer: a person with ${bots} bots and ${busyMessages} messages to delete, against a person with ${bots} bots and no messages`,
    value: `${ratio.toFixed(2)} × (ms: ${spread(times.busy)} against ${spread(times.quiet)})`,
    target: "at most 1.2 ×",
    holds: ratio <= 1.2,
  },
  {
    question: `rate at which the worker deletes messages with ${subscribers} copies each, in batches of a hundred, with events, while others send with 8 in flight`,
    value: `${spread(rates.during)} messages/s (${spread(rates.alone)} without other load)`,
    target: "at least 10,000 messages/s",
    holds: rate >= 10_000,
  },
  {
    question:
      "POST /messages, 8 in flight, during such a deletion, against the same without a deletion",
    value: `${kept.toFixed(2)} × (${spread(sends.meanwhile)} requests/s against ${spread(sends.without)})`,
    target: "at least 0.6 ×",
    holds: kept >= 0.6,
  },
  {
    question: `peak memory (RSS) of the worker in the last third of deleting ${busyMessages} messages, beyond the peak in the second third`,
    value: `${(growth / 2 ** 20).toFixed(0)} MB (${(memory.late / 2 ** 20).toFixed(0)} against ${(memory.early / 2 ** 20).toFixed(0)} MB)`,
    target: "at most 20 MB",
    holds: growth <= 20 * 2 ** 20,
  },
]);
process.exit(0);

async function fill({ id, botIds }: Departing, count: number, daysAgo: number): Promise<void> {
  // Alternates between the account and its bots, so that half of the messages are the account's own.
  const senders = botIds.flatMap((botId) => [id, botId]);
  await fillPast(db, world, count, daysAgo, senders);
}

/** Deactivates an account and deletes its channel messages. @returns milliseconds until the answer */
async function deactivate({ id }: Departing): Promise<number> {
  const actions = JSON.stringify({ delete_public_channel_messages: true });
  const askedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/users/${id}`, {
    method: "DELETE",
    headers: { authorization: credentials(admin) },
    body: new URLSearchParams({ actions }),
  });
  const ms = performance.now() - askedAt;
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.text();
  return ms;
}

/** Counts the messages of a person and their bots. */
async function countMessages({ id, botIds }: Departing): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    "SELECT count(*)::int AS count FROM messages WHERE sender_id = ANY($1)",
    [[id, ...botIds]],
  );
  return row?.count ?? 0;
}

async function waitForDeletions(): Promise<void> {
  const open = () => db.rows("SELECT FROM message_deletion_jobs WHERE finished_at IS NULL");
  while ((await open()).length > 0) await pause(50);
}

/** Returns a process's peak memory in bytes during the second and the last third of `work`. */
async function memoryUntil(
  { process: { pid } }: Child,
  work: Promise<void>,
): Promise<{ early: number; late: number }> {
  const samples: number[] = [];
  let over = false;
  const ended = work.finally(() => (over = true));
  while (!over) {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    samples.push(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024);
    await pause(50);
  }
  await ended;
  const third = Math.floor(samples.length / 3);
  return {
    early: Math.max(...samples.slice(third, 2 * third)),
    late: Math.max(...samples.slice(2 * third)),
  };
}
