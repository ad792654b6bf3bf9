import { isDeepStrictEqual } from "node:util";
import { ratesByTurns } from "./lib/by-turns.ts";
import { startChild, type Child } from "./lib/child.ts";
import { historyDatabase, type HistoryDatabase } from "./lib/history/database.ts";
import { ask } from "./lib/http.ts";
import { startLoader, type Loader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import type { FormRequest } from "./lib/requests.ts";
import { settledMemory, settling } from "./lib/settle.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { secretKey, startGateway, type RunningGateway } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { busyRequests, newest, otherRequests } from "./reading/requests.ts";

// Measures reading from a large history. `npm run bench -- reading 300000` runs the same bench with fewer messages, in
// less time. With BEFORE, the folder of another, already built checkout, also compares reading with that build.
const before = process.env["BEFORE"];
const few = 30_000;
const many = Number(process.argv[2] ?? 3_000_000);
const rounds = 5;
const seconds = 5;
const inFlight = 8;
const times = 15;
const most = 5_000;
const limits = { rate: 0.8, apart: 1.3, kinds: 3, heldMs: 50, megabytes: 60 };

interface Answer {
  readonly messages: ReadonlyArray<{ readonly id: number }>;
}
interface Side extends HistoryDatabase {
  readonly gateway: RunningGateway;
}

const manyText = many.toLocaleString("en");
const small = await prepare(few);
const large = await prepare(many);
const loader = await startLoader();
const rows: Row[] = [
  await againstPeer(large, loader),
  ...(before ? [await againstBefore(large, loader, before)] : []),
  await smallAgainstLarge(small, large, loader),
];
await loader.stop();
await small.gateway.stop();
rows.push(...(await otherKinds(large)), ...(await manyMessages(large)));
await large.gateway.stop();
await report("reading", rows);
process.exit(0);

async function prepare(messages: number): Promise<Side> {
  const made = await historyDatabase({ messages });
  const gateway = await startGateway(made.database, [...watchable, ...settling]);
  return { ...made, gateway };
}

async function againstPeer({ database, history, gateway }: Side, loader: Loader): Promise<Row> {
  const peer = await startPeer(database.url);
  const requests = busyRequests(history);
  for (const request of requests.slice(0, 20)) await expectSameAnswers(request, gateway, peer);
  const run = (port: number) => loader.run({ port, seconds, connections: inFlight, requests });
  const ports = { gateway: gateway.port, peer: peer.port };
  const { ours, theirs } = await ratesByTurns(run, ports, rounds);
  await peer.child.stop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `100 newest messages of a channel, ${manyText} messages in all, ${inFlight} in flight, against a bare node:http server that checks the key and answers the same (three queries, JSON.stringify)`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: `at least ${limits.rate} ×`,
    holds: ratio >= limits.rate,
  };
}

/** Compares reading with the build of another checkout. @param checkout the folder of the other build */
async function againstBefore(
  { database, history, gateway }: Side,
  loader: Loader,
  checkout: string,
): Promise<Row> {
  const other = await startGateway(database, [], {}, checkout);
  const requests = busyRequests(history);
  const run = (port: number) => loader.run({ port, seconds, connections: inFlight, requests });
  const ports = { gateway: gateway.port, peer: other.port };
  const { ours, theirs } = await ratesByTurns(run, ports, rounds);
  await other.stop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `100 newest messages of a channel, ${manyText} messages in all, ${inFlight} in flight, against the build of another checkout`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: "at least 0.95 ×",
    holds: ratio >= 0.95,
  };
}

/** Checks that both servers give the same fields of each message, in any order. */
async function expectSameAnswers(
  request: FormRequest,
  gateway: { readonly port: number },
  peer: { readonly port: number },
): Promise<void> {
  const own = await ask<Answer>(gateway.port, withoutBody(request));
  const other = await ask<Answer>(peer.port, withoutBody(request));
  if (own.messages.length !== 100 || !isDeepStrictEqual(own.messages, other.messages))
    throw new Error(`the bare server answers ${request.path} differently`);
}

async function startPeer(url: string): Promise<{ child: Child; port: number }> {
  const child = startChild("peer-reading", "bench/peers/reading.ts", {
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    NODE_ENV: "production",
  });
  await child.written("peer started on");
  return { child, port: Number(/peer started on (\d+)/.exec(child.output())?.[1]) };
}

/** Compares the rates of reading from a small history and from a large one. */
async function smallAgainstLarge(small: Side, large: Side, loader: Loader): Promise<Row> {
  const requests = new Map(
    [small, large].map(({ gateway, history }) => [gateway.port, busyRequests(history)]),
  );
  const run = (port: number) =>
    loader.run({ port, seconds, connections: inFlight, requests: requests.get(port)! });
  const ports = { gateway: small.gateway.port, peer: large.gateway.port };
  const { ours, theirs } = await ratesByTurns(run, ports, rounds);
  const ratio = medianRatio(ours, theirs);
  return {
    question: `100 newest messages of a channel, ${inFlight} in flight, ${few.toLocaleString("en")} messages in all against ${manyText}`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: `at most ${limits.apart} × apart`,
    holds: ratio <= limits.apart && ratio >= 1 / limits.apart,
  };
}

/** Sends one request at a time, alternating between all kinds; the first round is a warm-up. */
async function otherKinds({ gateway, database: { db }, history }: Side): Promise<Row[]> {
  const reader = history.members[0]!;
  const [facts] = await db.rows<{ ids: number[]; colleagues: number[]; unread: number }>(
    `SELECT (SELECT json_agg(id) FROM (
         SELECT message_id AS id FROM user_messages WHERE user_id = $1 ORDER BY hashint8(message_id) LIMIT 1000) s) AS ids,
       (SELECT array_remove(members, $1) FROM bench_talks WHERE $1 = ANY (members) AND cardinality(members) > 1
        ORDER BY n LIMIT 1) AS colleagues,
       (SELECT count(*)::int FROM user_messages WHERE user_id = $1 AND flags & 1 = 0) AS unread`,
    [reader.id],
  );
  const requests = otherRequests(history, facts!);
  const usual = newest(reader, history.busy[0]!.id, 100);
  const base: number[] = [];
  const costs = new Map<string, number[]>(Object.keys(requests).map((name) => [name, []]));
  for (let round = 0; round <= times; round++) {
    const least = await cost(usual);
    for (const [name, request] of Object.entries(requests)) {
      const own = await cost(request);
      if (round > 0) costs.get(name)!.push(own);
    }
    if (round > 0) base.push(least);
  }
  return [...costs].map(([name, own]) => {
    const ratio = medianRatio(own, base);
    say(`${name}: ${spread(own)} µs a message, ${spread(base)} µs of a channel`);
    return {
      question: `${name === "around first_unread" ? `${name}, ${facts!.unread.toLocaleString("en")} unread` : name}, ${manyText} messages in all (the caller has most of them), one request at a time: time per message of the answer, against the 100 newest of a channel`,
      value: `${ratio.toFixed(2)} × (µs: ${spread(own)} against ${spread(base)})`,
      target: `at most ${limits.kinds} ×`,
      holds: ratio <= limits.kinds,
    };
  });

  /** Sends a request. @returns microseconds per message of the answer */
  async function cost(request: FormRequest): Promise<number> {
    const startedAt = performance.now();
    const { messages } = await ask<Answer>(gateway.port, withoutBody(request));
    const took = performance.now() - startedAt;
    if (messages.length === 0) throw new Error(`${request.path} returned no messages`);
    return (took * 1_000) / messages.length;
  }
}

/** Measures how one answer of 5,000 messages affects the event loop and the memory of the gateway. */
async function manyMessages({ gateway, history }: Side): Promise<Row[]> {
  const request = newest(history.members[0]!, history.busy[0]!.id, most);
  const [held, busy, more]: number[][] = [[], [], []];
  let bytes = 0;
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    await settledMemory(gateway);
    const watched = watch(gateway);
    const response = await fetch(
      `http://127.0.0.1:${gateway.port}${request.path}`,
      withoutBody(request),
    );
    bytes = (await response.arrayBuffer()).byteLength;
    const { heldMs, busyMs, rest, peak } = await watched();
    say(
      `${most} messages: held ${heldMs.toFixed(0)} ms, ${((peak - rest) / 2 ** 20).toFixed(0)} MB more`,
    );
    if (round === 0) continue;
    held!.push(heldMs);
    busy!.push(busyMs);
    more!.push((peak - rest) / 2 ** 20);
  }
  const what = `5,000 messages in one request, ${(bytes / 1e6).toFixed(1)} MB`;
  return [
    {
      question: `${what}: the longest that the gateway's event loop was held (monitorEventLoopDelay)`,
      value: `${spread(held!)} ms (processor time between two samples: ${spread(busy!)} ms)`,
      target: `never over ${limits.heldMs} ms`,
      holds: Math.max(...held!) <= limits.heldMs,
    },
    {
      question: `${what}: the most memory of the gateway (RSS) beyond that at rest after its garbage was collected`,
      value: `${spread(more!)} MB`,
      target: `at most ${limits.megabytes} MB`,
      holds: Math.max(...more!) <= limits.megabytes,
    },
  ];
}

/** Removes the body, because `fetch` refuses a GET request with a body. */
function withoutBody({
  body: _body,
  ...request
}: FormRequest): RequestInit & { readonly path: string } {
  return request;
}
