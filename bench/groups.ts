import { isDeepStrictEqual } from "node:util";
import { startBarePeer } from "./lib/bare-peer.ts";
import { ratesByTurns } from "./lib/by-turns.ts";
import { addCrowd } from "./lib/crowd.ts";
import { addGroups } from "./lib/groups.ts";
import { ask } from "./lib/http.ts";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, type FormRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, quantile, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures one permission check and the list of all groups in a large organization.
const accounts = 10_000;
const groups = 500;
const checks = 1_500;
const warmUps = 300;
const rounds = 5;
const seconds = 4;
const inFlight = 8;
const limitMs = 1;

const database = await createBenchDatabase("postgres");
const world = await createWorld(database.db, 1, 10);
const [channel] = world.channels;
const crowd = await addCrowd(database.db, world, channel!, accounts - channel!.members.length);
const { holders } = await addGroups(database.db, world, crowd, groups);
say(`${accounts} accounts are in ${groups} groups`);
await report("groups", [await measureCheck(), await measureList()]);
await database.drop();
process.exit(0);

/**
 * Measures the time that a permission check adds to a request. Alternates requests that load credentials and the
 * organization in a transaction; half of them also make the check.
 */
async function measureCheck(): Promise<Row> {
  const peer = await startBarePeer("one-check", database);
  const times = { without: [] as number[], with: [] as number[] };
  for (let n = 0; n < warmUps + checks; n++) {
    const member = holders[n % holders.length]!;
    const turns = n % 2 === 0 ? (["without", "with"] as const) : (["with", "without"] as const);
    for (const turn of turns) {
      const request = get(member, `/api/v1/bench/${turn}`);
      const startedAt = performance.now();
      const { holds } = await ask<{ holds: boolean }>(peer.port, request);
      const took = performance.now() - startedAt;
      if (!holds) throw new Error(`${member.name} does not hold the permission`);
      if (n >= warmUps) times[turn].push(took);
    }
  }
  await peer.child.stop();
  const more = times.with.map((time, n) => time - times.without[n]!);
  const cost = median(more);
  const [bare, checked] = [times.without, times.with].map(
    (each) => `${median(each).toFixed(2)} (p95 ${quantile(each, 0.95).toFixed(2)})`,
  );
  return {
    question: `time that one permission check adds to a request, 10,000 accounts, 500 groups, the permission held through 8 nested groups: with the check against without, one request at a time, alternately, median of ${checks} differences`,
    value: `${cost.toFixed(2)} ms (ms: ${bare} without, ${checked} with)`,
    target: `at most ${limitMs} ms`,
    holds: cost <= limitMs,
  };
}

async function measureList(): Promise<Row> {
  const gateway = await startGateway(database);
  const peer = await startBarePeer("groups", database);
  const bytes = await expectSameAnswers(gateway.port, peer.port);
  const loader = await startLoader();
  const requests = crowd
    .slice(0, 200)
    .map((member): FormRequest => ({ ...get(member, "/api/v1/user_groups"), body: "" }));
  const run = (port: number) => loader.run({ port, seconds, connections: inFlight, requests });
  const ports = { gateway: gateway.port, peer: peer.port };
  const { ours, theirs } = await ratesByTurns(run, ports, rounds);
  await loader.stop();
  await peer.child.stop();
  await gateway.stop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `GET /user_groups, ${inFlight} in flight, 10,000 accounts, 500 groups, ${Math.round(bytes / 1_000)} kB, against a bare node:http server (key, three set-based queries at once, JSON.stringify)`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: "at least 0.6 ×",
    holds: ratio >= 0.6,
  };
}

/** Returns the bytes of the answer, and checks that both servers give the same answer. */
async function expectSameAnswers(ours: number, theirs: number): Promise<number> {
  const request = get(crowd[0]!, "/api/v1/user_groups");
  const own = await ask<{ user_groups: object[] }>(ours, request);
  const other = await ask<{ user_groups: object[] }>(theirs, request);
  if (own.user_groups.length < groups || !isDeepStrictEqual(own, other))
    throw new Error("the bare server's answer differs");
  return JSON.stringify(own).length;
}

function get(member: Member, path: string) {
  return { method: "GET" as const, path, headers: { authorization: credentials(member) } };
}
