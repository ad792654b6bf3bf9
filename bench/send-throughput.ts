import { startBarePeer } from "./lib/bare-peer.ts";
import { ratesByTurns } from "./lib/by-turns.ts";
import { startOtherGateway } from "./lib/other-checkout.ts";
import { ask } from "./lib/http.ts";
import { startLoad, type Load, type LoadKind } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, quantile, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Compares the throughput of sending through the gateway with that of a minimal server, and with two gateways. With
// BEFORE, the folder of another, already built checkout, also compares single requests with that build. The minimal
// server makes fewer round trips and checks, so it cannot show whether a single request has become slower.
const before = process.env["BEFORE"];
const rounds = Number(process.env["ROUNDS"] ?? 3);
const seconds = 5;
const inFlight = 32;
/** Numbers of messages that are sent one at a time. */
const lone = { warmUps: 200, sends: 400 };

const database = await createBenchDatabase("postgres");
// Each measurement has its own accounts: one account can have a limited number of pending scheduled messages.
const world = () => createWorld(database.db, 50, 10);
await database.db.rows("INSERT INTO clients (name) VALUES ('bench') ON CONFLICT DO NOTHING");
const rows = [
  await oneAfterAnother(database, await world()),
  ...(await againstBare(database, await world())),
  ...(await twoGateways(database, await world(), "send")),
  ...(await twoGateways(database, await world(), "schedule")),
  ...(before ? await againstBefore(database, await world(), "send", before) : []),
  ...(before ? await againstBefore(database, await world(), "schedule", before) : []),
];
await database.drop();
await report("send-throughput", rows);
process.exit(0);

/** Sends one message at a time, alternately to the gateway and to the bare server. */
async function oneAfterAnother(of: BenchDatabase, people: World): Promise<Row> {
  const gateway = await startGateway(of);
  const peer = await startBarePeer("send", of);
  const [ours, theirs]: [number[], number[]] = [[], []];
  const send = async (port: number, n: number) => {
    const startedAt = performance.now();
    await ask(port, sendRequest(people, n));
    return performance.now() - startedAt;
  };
  for (let n = 0; n < lone.warmUps + lone.sends; n++) {
    const times = [await send(gateway.port, n), await send(peer.port, n)] as const;
    if (n < lone.warmUps) continue;
    ours.push(times[0]);
    theirs.push(times[1]);
  }
  await peer.child.stop();
  await gateway.stop();
  const ratio = median(ours) / median(theirs);
  const shown = (times: readonly number[]) =>
    `${median(times).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)}`;
  say(`one at a time: ${ratio.toFixed(2)} ×`);
  return {
    question:
      "POST /messages, one at a time: p50 against the bare node:http server (no checks, no rendering)",
    value: `${ratio.toFixed(2)} × (${shown(ours)}, against ${shown(theirs)})`,
    target: "at most 1.3 ×",
    holds: ratio <= 1.3,
  };
}

async function againstBare(of: BenchDatabase, people: World): Promise<Row[]> {
  const gateway = await startGateway(of);
  const peer = await startBarePeer("send", of);
  const load = await startLoad(people, "send");
  const run = (port: number) => load.run(port, seconds, inFlight);
  await run(gateway.port);
  await run(peer.port);
  const ours: number[] = [];
  const theirs: number[] = [];
  const tails: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const own = await run(gateway.port);
    const other = await run(peer.port);
    ours.push(own.rate);
    theirs.push(other.rate);
    tails.push(own.p99 / Math.max(own.p50, 1));
    say(
      `round ${round}: ${own.rate.toFixed(0)}/s (p50 ${own.p50} ms, p99 ${own.p99} ms), the bare server ${other.rate.toFixed(0)}/s (p50 ${other.p50} ms, p99 ${other.p99} ms)`,
    );
  }
  await load.stop();
  await peer.child.stop();
  await gateway.stop();
  const ratio = medianRatio(ours, theirs);
  const tail = median(tails);
  return [
    {
      question: `POST /messages, ${inFlight} in flight, one organization, 50 channels of 10, against a bare node:http server (key, row, 10 copies and event in one transaction)`,
      value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)}), p99 ${tail.toFixed(1)} × p50`,
      target: "at least 1.3 ×, p99 at most 4 × p50",
      holds: ratio >= 1.3 && tail <= 4,
    },
  ];
}

/** Alternates single requests between this gateway and the one of the other checkout. */
async function againstBefore(
  of: BenchDatabase,
  people: World,
  kind: LoadKind,
  checkout: string,
): Promise<Row[]> {
  const gateway = await startGateway(of);
  const other = await startOtherGateway(of, checkout);
  const load = await startLoad(people, kind);
  const run = (port: number) => load.run(port, seconds, 1);
  const { ours, theirs } = await ratesByTurns(
    run,
    { gateway: gateway.port, peer: other.port },
    2 * rounds,
    "the other checkout",
  );
  await load.stop();
  await other.stop();
  await gateway.stop();
  const ratio = medianRatio(ours, theirs);
  return [
    {
      question: `POST ${pathOf(kind)}, 1 in flight, against the build of another checkout`,
      value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
      target: "at least 0.95 ×",
      holds: ratio >= 0.95,
    },
  ];
}

function pathOf(kind: LoadKind): string {
  return kind === "send" ? "/messages" : "/scheduled_messages";
}

/** Compares two gateways with one, with the same number of requests in flight in all. */
async function twoGateways(of: BenchDatabase, people: World, kind: LoadKind): Promise<Row[]> {
  const gateways = [await startGateway(of), await startGateway(of)] as const;
  const loads: readonly [Load, Load] = [
    await startLoad(people, kind),
    await startLoad(people, kind),
  ];
  const one = () => loads[0].run(gateways[0].port, seconds, inFlight);
  const both = async () => {
    const halves = await Promise.all(
      gateways.map(({ port }, i) => loads[i]!.run(port, seconds, inFlight / 2)),
    );
    return {
      rate: halves.reduce((sum, { rate }) => sum + rate, 0),
      tail: Math.max(...halves.map(({ p50, p99 }) => p99 / Math.max(p50, 1))),
    };
  };
  await one();
  await both();
  const alone: number[] = [];
  const together: number[] = [];
  const tails: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const single = await one();
    const { rate, tail } = await both();
    alone.push(single.rate);
    together.push(rate);
    tails.push(tail);
    say(
      `${kind}, round ${round}: one gateway ${single.rate.toFixed(0)}/s (p50 ${single.p50} ms, p99 ${single.p99} ms), two ${rate.toFixed(0)}/s (p99 ${tail.toFixed(1)} × p50)`,
    );
  }
  for (const load of loads) await load.stop();
  for (const gateway of gateways) await gateway.stop();
  const ratio = medianRatio(together, alone);
  const tail = median(tails);
  return [
    {
      question: `POST ${pathOf(kind)}, ${inFlight} in flight in all, through two gateways against one`,
      value: `${ratio.toFixed(2)} × (${spread(together)} requests/s against ${spread(alone)}), p99 ${tail.toFixed(1)} × p50`,
      target: "at least 0.8 ×, p99 at most 5 × p50",
      holds: ratio >= 0.8 && tail <= 5,
    },
  ];
}
