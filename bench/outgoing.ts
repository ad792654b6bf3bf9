import { setTimeout as pause } from "node:timers/promises";
import { startChild, type Child } from "./lib/child.ts";
import { ask } from "./lib/http.ts";
import { report, say, type Row } from "./lib/report.ts";
import { formRequest } from "./lib/requests.ts";
import {
  backends,
  createBenchDatabase,
  type BackendName,
  type BenchDatabase,
} from "./lib/servers.ts";
import { median, medianRatio, quantile, spread } from "./lib/statistics.ts";
import { startGateway, startWorker, type RunningGateway } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { createWorld, type Member, type World } from "./lib/world.ts";

// Measures calls of outgoing webhook bots: how many of one bot are made in a second, how much 10,000 calls that wait for an
// origin that hangs delay those of another bot, and how much memory answers of 1 GiB take.
const calls = Number(process.env["CALLS"] ?? 600);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const conversations = 50;
/** Fewer than an organization may have, so that the other bot's calls are accepted. */
const waiting = Number(process.env["WAITING"] ?? 9_900);
const others = Number(process.env["OTHERS"] ?? 100);
const variables = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8", OUTGOING_TIMEOUT: "2" };

let bots = 0;

const rows: Row[] = [];
for (const backend of backends) rows.push(...(await measure(backend)));
await report("outgoing", rows);
process.exit(0);

interface Bench {
  readonly database: BenchDatabase;
  readonly world: World;
  readonly gateway: RunningGateway;
}

async function measure(backend: BackendName): Promise<Row[]> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 1, 10);
  const gateway = await startGateway(database, [], variables);
  const bench = { database, world, gateway };
  const measured = [
    ...(await throughput(bench, backend)),
    await memory(bench, backend),
    await besideDeadOrigin(bench, backend),
  ];
  await gateway.stop();
  await database.drop();
  return measured;
}

/** Starts an endpoint. @returns its address without a path */
async function startEndpoint(): Promise<Child & { readonly origin: string }> {
  const child = startChild("endpoint", "bench/outgoing/endpoint.ts", {});
  await child.written(".\n");
  const port = /listening on (\d+)/.exec(child.output())?.[1];
  return { ...child, origin: `http://127.0.0.1:${port}` };
}

interface Bot {
  readonly id: number;
  readonly name: string;
}

async function createBot({ world, gateway }: Bench, payload_url: string): Promise<Bot> {
  const name = `Caller ${++bots}`;
  const fields = { full_name: name, short_name: `caller-${bots}`, bot_type: "3", payload_url };
  const request = formRequest(world.members[0]!, "/api/v1/bots", fields);
  const { user_id: id } = await ask<{ user_id: number }>(gateway.port, request);
  return { id, name };
}

/** Mentions the bot in messages of members, several at once, in one conversation after the other from number `from` on. */
async function mention(
  { world, gateway }: Bench,
  bot: Bot,
  count: number,
  from = 0,
): Promise<void> {
  const [channel] = world.channels;
  let sent = 0;
  const send = async (member: Member) => {
    while (sent < count) {
      const n = sent++;
      const fields = {
        type: "channel",
        to: String(channel!.id),
        topic: `${bot.name} ${(from + n) % conversations}`,
        content: `@**${bot.name}** number ${n}`,
      };
      await ask(gateway.port, formRequest(member, "/api/v1/messages", fields));
    }
  };
  await Promise.all(world.members.slice(0, Math.min(count, 8)).map(send));
}

/** Waits until all calls of the bot have ended. */
async function ended({ database: { db } }: Bench, bot: Bot): Promise<void> {
  const open = "SELECT FROM outgoing_call WHERE bot_id = $1 AND state = 'waiting' LIMIT 1";
  while ((await db.rows(open, [bot.id])).length > 0) await pause(20);
}

async function throughput(bench: Bench, backend: BackendName): Promise<Row[]> {
  const { db } = bench.database;
  const endpoint = await startEndpoint();
  const ours: number[] = [];
  const theirs: number[] = [];
  const programs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const bot = await createBot(bench, `${endpoint.origin}/answer`);
    await mention(bench, bot, calls);
    const worker = await startWorker(bench.database, [], variables);
    await ended(bench, bot);
    const [times] = await db.rows<{ seconds: number; done: number }>(
      `SELECT extract(epoch FROM max(finished_at) - min(finished_at))::float8 AS seconds,
         count(*) FILTER (WHERE state = 'done')::int AS done FROM outgoing_call WHERE bot_id = $1`,
      [bot.id],
    );
    if (times?.done !== calls) throw new Error(`only ${times?.done} calls were answered`);
    await worker.stop();
    const bare = await bareLoop(`${endpoint.origin}/answer`);
    const program = await programWithReplies(bench, `${endpoint.origin}/answer`);
    // The first round warms up.
    if (round === 0) continue;
    ours.push(calls / times.seconds);
    theirs.push(bare);
    programs.push(program);
    say(
      `${backend}: ${ours.at(-1)?.toFixed(0)} calls/s, bare loop ${bare.toFixed(0)}/s, program with replies ${program.toFixed(0)}/s`,
    );
  }
  await endpoint.stop();
  const ratio = medianRatio(ours, theirs);
  const toProgram = medianRatio(ours, programs);
  const what = `calls of one bot in ${conversations} conversations, ${backend} queues, with a reply to each, against`;
  return [
    {
      question: `${what} a bare loop of fetches`,
      value: `${ratio.toFixed(2)} × (${spread(ours)} calls/s against ${spread(theirs)})`,
      target: "at least 0.3 ×",
      holds: ratio >= 0.3,
    },
    {
      question: `${what} a program that fetches four at a time and sends each reply by POST /messages`,
      value: `${toProgram.toFixed(2)} × (${spread(ours)} calls/s against ${spread(programs)})`,
      target: "at least 0.3 ×",
      holds: toProgram >= 0.3,
    },
  ];
}

/**
 * Returns how many calls a second a program makes that reads no messages and stores nothing of its own: it fetches, as many
 * at once as one endpoint may have calls, and sends each reply as a client does.
 */
async function programWithReplies({ world, gateway }: Bench, url: string): Promise<number> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ data: "x".repeat(1_000) });
  const sender = world.members[0]!;
  const to = String(world.channels[0]!.id);
  let made = 0;
  const run = async () => {
    while (made < calls) {
      const topic = `Program ${made++ % conversations}`;
      const response = await fetch(url, { method: "POST", headers, body });
      const { content } = (await response.json()) as { content: string };
      const fields = { type: "channel", to, topic, content };
      await ask(gateway.port, formRequest(sender, "/api/v1/messages", fields));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 4 }, run));
  return (calls * 1_000) / (performance.now() - began);
}

/** Returns how many requests a second a loop makes that sends one after the other. */
async function bareLoop(url: string): Promise<number> {
  const body = JSON.stringify({ data: "x".repeat(1_000) });
  const headers = { "content-type": "application/json" };
  const began = performance.now();
  for (let n = 0; n < calls; n++)
    await (await fetch(url, { method: "POST", headers, body })).text();
  return (calls * 1_000) / (performance.now() - began);
}

async function memory(bench: Bench, backend: BackendName): Promise<Row> {
  const endpoint = await startEndpoint();
  const worker = await startWorker(bench.database, watchable, variables);
  const usual = await createBot(bench, `${endpoint.origin}/answer`);
  await mention(bench, usual, 300);
  await ended(bench, usual);
  const watched = watch(worker);
  const bot = await createBot(bench, `${endpoint.origin}/endless`);
  await mention(bench, bot, 100);
  await ended(bench, bot);
  const { rest, peak } = await watched();
  await worker.stop();
  await endpoint.stop();
  const grown = (peak - rest) / 2 ** 20;
  say(`${backend}: memory + ${grown.toFixed(1)} MiB`);
  return {
    question: `100 answers of 1 GiB, ${backend} queues: growth of the worker's memory (RSS)`,
    value: `${grown.toFixed(1)} MiB, from ${(rest / 2 ** 20).toFixed(0)}`,
    target: "below 20 MB",
    holds: peak - rest < 20e6,
  };
}

async function besideDeadOrigin(bench: Bench, backend: BackendName): Promise<Row> {
  const { db } = bench.database;
  const [hanging, healthy] = [await startEndpoint(), await startEndpoint()];
  const worker = await startWorker(bench.database, [], variables);
  const dead = await createBot(bench, `${hanging.origin}/hang`);
  const bot = await createBot(bench, `${healthy.origin}/answer`);
  await mention(bench, dead, conversations);
  // The others wait behind these.
  await db.rows(
    `INSERT INTO outgoing_call (realm_id, bot_id, message_id, conversation, trigger, webhook_id, next_at)
     SELECT realm_id, bot_id, 1000000000 + row_number() OVER (), conversation, trigger, 'call_' || md5(id || ' ' || n), 'infinity'
     FROM outgoing_call, generate_series(1, $2::int) n WHERE bot_id = $1`,
    [dead.id, Math.floor(waiting / conversations) - 1],
  );
  for (let n = 0; n < others; n++) {
    await mention(bench, bot, 1, n);
    await pause(50);
  }
  await ended(bench, bot);
  const late = await db.rows<{ ms: number; state: string }>(
    `SELECT extract(epoch FROM finished_at - started_at)::float8 * 1000 AS ms, state
     FROM outgoing_call WHERE bot_id = $1`,
    [bot.id],
  );
  const [left] = await db.rows<{ count: number }>(
    "SELECT count(*)::int AS count FROM outgoing_call WHERE bot_id = $1 AND state = 'waiting'",
    [dead.id],
  );
  if (late.some(({ state }) => state !== "done")) throw new Error("a call was not answered");
  await worker.stop();
  await Promise.all([hanging.stop(), healthy.stop()]);
  const times = late.map(({ ms }) => ms);
  const p95 = quantile(times, 0.95);
  say(`${backend}: p95 ${p95.toFixed(0)} ms, beside ${left?.count} waiting calls`);
  return {
    question: `calls of another bot of the organization beside ${left?.count} that wait for an origin that hangs, ${backend} queues: from the message to the reply, p95 of ${others}`,
    value: `${p95.toFixed(0)} ms (median ${median(times).toFixed(0)}, worst ${Math.max(...times).toFixed(0)})`,
    target: "below 1 s",
    holds: p95 < 1_000,
  };
}
