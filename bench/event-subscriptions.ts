import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "./lib/child.ts";
import { ask } from "./lib/http.ts";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { formRequest, type FormRequest } from "./lib/requests.ts";
import {
  backends,
  createBenchDatabase,
  type BackendName,
  type BenchDatabase,
} from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures event subscriptions: how many events a healthy endpoint gets in a second, and how much 100 subscriptions of an
// organization slow down POST /messages.
const rounds = Number(process.env["ROUNDS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 3);
/** In batches of 100: as many as attempts are kept. */
const batches = 100;

const variables = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8" };

const rows: Row[] = [];
for (const backend of backends) rows.push(...(await throughput(backend)));
rows.push(await beside());
await report("event-subscriptions", rows);
process.exit(0);

/** Creates a bot of a member. @returns its id */
async function createBot(port: number, owner: Member): Promise<number> {
  const fields = { full_name: "Listener", short_name: "listener" };
  const request = formRequest(owner, "/api/v1/bots", fields);
  return (await ask<{ user_id: number }>(port, request)).user_id;
}

/** Subscribes a bot to messages of public channels. */
async function subscribe(port: number, owner: Member, botId: number, url: string): Promise<number> {
  const request = formRequest(owner, "/api/v1/event_subscriptions", {
    url,
    bot_id: String(botId),
    event_types: '["message"]',
    all_public_streams: "true",
  });
  return (await ask<{ subscription: { id: number } }>(port, request)).subscription.id;
}

/**
 * Compares batches of events to one endpoint with fetches of the same size, one after the other, and with a program that
 * also reads each batch and commits its position.
 */
async function throughput(backend: BackendName): Promise<Row[]> {
  const database = await createBenchDatabase(backend);
  const { db } = database;
  const world = await createWorld(db, 1, 10);
  const gateway = await startGateway(database, [], variables);
  const endpoint = startChild("endpoint", "bench/outgoing/endpoint.ts", {});
  await endpoint.written(".\n");
  const url = `http://127.0.0.1:${/listening on (\d+)/.exec(endpoint.output())?.[1]}/answer`;
  const owner = world.members[0]!;
  const botId = await createBot(gateway.port, owner);
  const content =
    "A message of an ordinary length, which says something about the work of the day.";
  await ask(
    gateway.port,
    formRequest(owner, "/api/v1/messages", {
      type: "channel",
      to: String(world.channels[0]!.id),
      topic: "events",
      content,
    }),
  );
  const ours: number[] = [];
  const theirs: number[] = [];
  const programs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const id = await subscribe(gateway.port, owner, botId, url);
    await db.rows(
      `WITH one AS (SELECT * FROM event_log WHERE realm_id = $1 AND type = 'message' ORDER BY seq LIMIT 1),
         head AS (UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1 RETURNING seq - $2 AS base)
       INSERT INTO event_log (realm_id, seq, type, op, payload, audience, user_data)
       SELECT one.realm_id, base + n, one.type, one.op, one.payload, one.audience, one.user_data
       FROM one, head, generate_series(1, $2) n`,
      [world.realmId, batches * 100],
    );
    const worker = await startWorker(database, [], variables);
    const open = `SELECT FROM event_subscription s JOIN event_head h ON h.realm_id = s.realm_id
      WHERE s.id = $1 AND s.cursor < h.seq`;
    while ((await db.rows(open, [id])).length > 0) await pause(20);
    const [made] = await db.rows<{ seconds: number; events: number; calls: number }>(
      `SELECT extract(epoch FROM max(attempted_at + make_interval(secs => duration_ms / 1000.0)) - min(attempted_at))::float8
         AS seconds, sum(events)::int AS events, count(*)::int AS calls
       FROM outgoing_attempt WHERE subscription_id = $1 AND outcome = 'done'`,
      [id],
    );
    await worker.stop();
    if (made?.events !== batches * 100) throw new Error(`only ${made?.events} events arrived`);
    const [one] = await db.rows<{ payload: string }>(
      "SELECT payload::text AS payload FROM event_log WHERE realm_id = $1 AND type = 'message' LIMIT 1",
      [world.realmId],
    );
    const bare = await bareLoop(url, `[${Array(100).fill(one?.payload).join()}]`);
    const program = await durableLoop(database, { realmId: world.realmId, id, url });
    await db.rows("DELETE FROM event_subscription WHERE id = $1", [id]);
    // The first round warms up.
    if (round === 0) continue;
    ours.push(made.events / made.seconds);
    theirs.push(bare);
    programs.push(program);
    say(
      `${backend}: ${ours.at(-1)?.toFixed(0)} events/s, bare loop ${bare.toFixed(0)}/s, with reading and storing ${program.toFixed(0)}/s`,
    );
  }
  await gateway.stop();
  await endpoint.stop();
  await database.drop();
  const compare = (peer: string, rates: readonly number[]): Row => {
    const ratio = medianRatio(ours, rates);
    return {
      question: `events to one healthy endpoint, ${backend} queues, against ${peer}`,
      value: `${ratio.toFixed(2)} × (${spread(ours)} events/s against ${spread(rates)})`,
      target: "at least 0.5 ×",
      holds: ratio >= 0.5,
    };
  };
  return [
    compare("a bare loop of fetches of such batches of 100", theirs),
    compare("a loop that reads each batch, sends it and commits its position", programs),
  ];
}

/** Returns how many events a second a loop sends that reads each batch of the log and commits its position, without checks. */
async function durableLoop(
  { db }: BenchDatabase,
  { realmId, id, url }: { readonly realmId: number; readonly id: number; readonly url: string },
): Promise<number> {
  const headers = { "content-type": "application/json" };
  const read = `SELECT seq::float8 AS seq, payload::text AS payload FROM event_log
    WHERE realm_id = $1 AND seq > $2 ORDER BY seq LIMIT 100`;
  await db.rows("UPDATE event_subscription SET cursor = cursor - $2 WHERE id = $1", [
    id,
    batches * 100,
  ]);
  const [start] = await db.rows<{ cursor: number }>(
    "SELECT cursor::float8 AS cursor FROM event_subscription WHERE id = $1",
    [id],
  );
  let position = start!.cursor;
  const began = performance.now();
  for (let n = 0; n < batches; n++) {
    const events = await db.rows<{ seq: number; payload: string }>(read, [realmId, position]);
    const body = `[${events.map(({ payload }) => payload).join()}]`;
    await (await fetch(url, { method: "POST", headers, body })).text();
    position = events.at(-1)!.seq;
    await db.rows("UPDATE event_subscription SET cursor = $2 WHERE id = $1", [id, position]);
  }
  return (batches * 100_000) / (performance.now() - began);
}

/** Returns how many events a second a loop of fetches would send. */
async function bareLoop(url: string, body: string): Promise<number> {
  const headers = { "content-type": "application/json" };
  const began = performance.now();
  for (let n = 0; n < batches; n++)
    await (await fetch(url, { method: "POST", headers, body })).text();
  return (batches * 100_000) / (performance.now() - began);
}

/** Compares POST /messages in an organization with 100 subscriptions and without; no worker runs. */
async function beside(): Promise<Row> {
  const database = await createBenchDatabase("postgres");
  const { db } = database;
  const world = await createWorld(db, 1, 10);
  const loader = await startLoader();
  const gateway = await startGateway(database, [], variables);
  const owner = world.members[0]!;
  const message: FormRequest = formRequest(owner, "/api/v1/messages", {
    type: "channel",
    to: String(world.channels[0]!.id),
    topic: "events",
    content: "A message.",
  });
  const run = async (count: number) => {
    await db.rows("DELETE FROM event_subscription");
    // In one statement, so that each run follows the same number of commits.
    await db.rows(
      `INSERT INTO event_subscription (realm_id, bot_id, url, origin, description, event_types, narrow,
         all_public_channels, secret_sealed, pinged_at, cursor)
       SELECT $1::int, $2::int, 'https://example.org/', 'https://example.org', '', '{message}', '[]', true, '', '{}', 0
       FROM generate_series(1, $3::int)`,
      [world.realmId, owner.id, count],
    );
    const { rate } = await loader.run({
      port: gateway.port,
      seconds,
      connections: 1,
      requests: [message],
    });
    return 1_000 / rate;
  };
  await run(100);
  const withThem: number[] = [];
  const without: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const isFirst = round % 2 === 0;
    const one = await run(isFirst ? 100 : 0);
    const other = await run(isFirst ? 0 : 100);
    withThem.push(isFirst ? one : other);
    without.push(isFirst ? other : one);
  }
  await loader.stop();
  await gateway.stop();
  await database.drop();
  const ratio = medianRatio(withThem, without);
  say(`POST /messages: ${ratio.toFixed(2)} ×`);
  return {
    question:
      "POST /messages, one at a time, with 100 subscriptions of the organization against without",
    value: `${ratio.toFixed(2)} × (${spread(withThem, 2)} ms against ${spread(without, 2)})`,
    target: "at most 1.1 ×",
    holds: ratio <= 1.1,
  };
}
