import { once } from "node:events";
import { insertChannel } from "@carillon/domain";
import { defaultGroups, groupIds, loadSystemGroups, subscribe } from "@carillon/model";
import { channelPermissions, roles } from "@carillon/contract";
import { startChild } from "./lib/child.ts";
import { addCrowd } from "./lib/crowd.ts";
import { ask } from "./lib/http.ts";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, sendRequest, type FormRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type BenchChannel } from "./lib/world.ts";
import type { ProbeRequest, ProbeWaits } from "./peers/lock-probe.ts";

// Measures how long a change of a private channel with 10,000 subscribers blocks other requests.
const subscribers = 10_000;
const rounds = 7;
const besideRounds = 3;
const seconds = 5;
const pauseMs = 300;
const limits = { heldMs: 100, times: 2 };

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, 10, 10);
const [first, ...small] = world.channels as [BenchChannel, ...BenchChannel[]];
const actor = first.members[0]!;
const crowd = await addCrowd(db, world, first, subscribers);
const groups = groupIds(
  defaultGroups(channelPermissions, await loadSystemGroups(db, world.realmId)),
);
const channelId = await db.transaction(async (tx) => {
  // An administrator makes the changes.
  await tx.rows("UPDATE users SET role = $2 WHERE id = $1", [actor.id, roles.administrator]);
  const made = await insertChannel(tx, world.realmId, {
    name: "large",
    creatorId: actor.id,
    inviteOnly: true,
    groups,
  });
  const ids = [actor, ...crowd.slice(1)].map(({ id }) => id);
  await subscribe(tx, [{ channelId: made!.id }], ids);
  return made!.id;
});
await db.rows("VACUUM ANALYZE");
const gateway = await startGateway(database);
const loader = await startLoader();
const probe = startChild("peer-lock-probe", "bench/peers/lock-probe.ts", {
  DATABASE_URL: database.url,
  NODE_ENV: "production",
});
await probe.written("probe started");
probe.process.send({ realmId: world.realmId, channelId } satisfies ProbeRequest);

let names = 0;
const changes: Readonly<Record<string, () => Record<string, unknown>>> = {
  "a rename": () => ({ new_name: `large ${++names}` }),
  "making it public": () => ({ is_private: false }),
  "making it private again": () => ({ is_private: true }),
};
/** The probe's waits in milliseconds, by change and round. */
const held = new Map(Object.keys(changes).map((what) => [what, [] as ProbeWaits[]]));
const took = new Map(Object.keys(changes).map((what) => [what, [] as number[]]));
// The first round is a warm-up.
for (let round = 0; round <= rounds; round++)
  for (const [what, params] of Object.entries(changes)) {
    await pause();
    await read();
    const startedAt = performance.now();
    await change(params());
    const ms = performance.now() - startedAt;
    const waits = await read();
    say(`${what}: ${ms.toFixed(0)} ms, ${waitsText(waits)}`);
    if (round === 0) continue;
    held.get(what)!.push(waits);
    took.get(what)!.push(ms);
  }
const besideRow = await measureBeside();
await report("channel-locks", [...Object.keys(changes).map(row), besideRow]);
await probe.stop();
await loader.stop();
await gateway.stop();
await database.drop();
process.exit(0);

function row(what: string): Row {
  const waits = held.get(what)!;
  const longest = waits.map((each) => Math.max(...Object.values(each)));
  const of = (kind: keyof ProbeWaits) => spread(waits.map((each) => each[kind]));
  return {
    question: `PATCH /streams/{id} of a private channel with ${subscribers.toLocaleString("en")} subscribers, ${what}: the longest wait of connections that take the organization's locks every 2 ms`,
    value: `${spread(longest)} ms (group graph ${of("groups")}, the channel's row ${of("channel")}, head of the log ${of("head")}; the request ${spread(took.get(what)!)})`,
    target: `at most ${limits.heldMs} ms`,
    holds: median(longest) <= limits.heldMs,
  };
}

/** Sends to other channels and lists subscriptions while the channel is changed repeatedly. */
async function measureBeside(): Promise<Row> {
  const requests = Array.from({ length: 500 }, (_, n): FormRequest =>
    n % 2 === 0
      ? sendRequest({ channels: small }, n / 2)
      : {
          method: "GET",
          path: "/api/v1/users/me/subscriptions",
          headers: { authorization: credentials(small[n % small.length]!.members[n % 10]!) },
          body: "",
        },
  );
  const run = () => loader.run({ port: gateway.port, seconds, connections: 4, requests });
  await run();
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 1; round <= besideRounds; round++) {
    const without = await run();
    let running = true;
    let count = 0;
    const changing = (async () => {
      for (; running; count++) {
        const all = Object.values(changes);
        await change(all[count % all.length]!());
        await pause();
      }
      // Completes the cycle of changes, so that the channel is private again.
      for (; count % 3 !== 0; count++) await change(Object.values(changes)[count % 3]!());
    })();
    const together = await run();
    running = false;
    await changing;
    alone.push(without.p95);
    beside.push(together.p95);
    say(`p95 ${together.p95} ms beside ${count} changes, ${without.p95} ms without`);
  }
  const ratio = medianRatio(beside, alone);
  return {
    question: `POST /messages to other channels and GET /users/me/subscriptions, 4 in flight, p95, while such a channel is changed every ${pauseMs} ms, against the same without changes`,
    value: `${ratio.toFixed(2)} × (ms: ${spread(alone)} → ${spread(beside)})`,
    target: `at most ${limits.times} ×`,
    holds: ratio <= limits.times,
  };
}

async function change(params: Readonly<Record<string, unknown>>): Promise<void> {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) fields.set(name, String(value));
  await ask(gateway.port, {
    path: `/api/v1/streams/${channelId}`,
    method: "PATCH",
    headers: { authorization: credentials(actor) },
    body: fields,
  });
}

async function read(): Promise<ProbeWaits> {
  const answer = once(probe.process, "message");
  probe.process.send("read");
  return ((await answer) as [ProbeWaits])[0];
}

function waitsText(waits: ProbeWaits): string {
  return Object.entries(waits)
    .map(([kind, ms]) => `${kind} ${ms.toFixed(0)} ms`)
    .join(", ");
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
