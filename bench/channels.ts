import { isDeepStrictEqual } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { addChannels } from "./lib/channels.ts";
import { startBarePeer } from "./lib/bare-peer.ts";
import { ratesByTurns } from "./lib/by-turns.ts";
import { ask } from "./lib/http.ts";
import { startLoader, type Loader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, type FormRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type Member } from "./lib/world.ts";
import { startWatcher } from "./worst-request/watch.ts";

// Measures how fast the gateway lists the 2,000 channels of an organization, by `GET /streams` and in the snapshot of
// `POST /register`, and how long such a request delays others.
const channels = { count: 2_000, inviteOnly: 500 };
const people = 100;
const rounds = 5;
const seconds = 6;
const inFlight = 4;
const target = 0.5;
const limitMs = 50;
const waitSamples = 15;

/** A kind of request that lists channels. */
interface Kind {
  readonly name: string;
  readonly request: (member: Member) => FormRequest;
  /** The fields of the answer that are compared. */
  readonly fields: readonly string[];
  /** What the bare server does, for the table. */
  readonly bare: string;
}

const kinds: readonly Kind[] = [
  {
    name: "GET /streams",
    request: (member) => form(member, "GET", "/api/v1/streams"),
    fields: ["streams"],
    bare: "key, six set-based queries at once, JSON.stringify",
  },
  {
    name: 'POST /register, fetch_event_types ["stream", "subscription"]',
    request: (member) =>
      form(member, "POST", "/api/v1/register", {
        event_types: '["message"]',
        fetch_event_types: '["stream", "subscription"]',
        client_capabilities: '{"notification_settings_null": true}',
      }),
    fields: ["streams", "subscriptions", "unsubscribed", "never_subscribed"],
    bare: "the same without an event queue",
  },
];

const database = await createBenchDatabase("postgres");
const world = await createWorld(database.db, 1, people);
await addChannels(database.db, world, world.members, {
  ...channels,
  count: channels.count - world.channels.length,
});
say(`created ${channels.count} channels, ${channels.inviteOnly} of them private`);
const gateway = await startGateway(database);
const peer = await startBarePeer("channels", database);
const loader = await startLoader();
const rows: Row[] = [];
for (const kind of kinds) rows.push(await measureRate(kind, loader));
await loader.stop();
await peer.child.stop();
for (const kind of kinds) rows.push(await measureWait(kind));
await gateway.stop();
await report("channels", rows);
await database.drop();
process.exit(0);

async function measureRate(kind: Kind, loader: Loader): Promise<Row> {
  const bytes = await expectSameAnswers(kind);
  const requests = world.members.map(kind.request);
  const run = (port: number) => loader.run({ port, seconds, connections: inFlight, requests });
  const ports = { gateway: gateway.port, peer: peer.port };
  const { ours, theirs } = await ratesByTurns(run, ports, rounds);
  const ratio = medianRatio(ours, theirs);
  return {
    question: `${kind.name}, ${inFlight} in flight, 2,000 channels, 500 of them private, ${Math.round(bytes / 1_000)} kB, against a bare node:http server (${kind.bare})`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: `at least ${target} ×`,
    holds: ratio >= target,
  };
}

/** Sends one request at a time, while another client sends requests that need no database. */
async function measureWait({ name, request }: Kind): Promise<Row> {
  const watcher = await startWatcher(gateway.port, world.members[0]!);
  await pause(3_000);
  const quiet: number[] = [];
  const beside: number[] = [];
  for (let n = 0; n < waitSamples; n++) {
    await watcher.read();
    await pause(300);
    quiet.push((await watcher.read()).process);
    await ask(gateway.port, withoutEmptyBody(request(world.members[n % people]!)));
    beside.push((await watcher.read()).process);
  }
  await watcher.stop();
  const more = Math.max(0, median(beside) - median(quiet));
  return {
    question: `${name}, one at a time, 2,000 channels: longest wait of another client that sends a request every 20 ms, beyond that of a quiet time, median of ${waitSamples}`,
    value: `${more.toFixed(0)} ms longer (${spread(beside)} against ${spread(quiet)} ms)`,
    target: `at most ${limitMs} ms longer`,
    holds: more <= limitMs,
  };
}

/** Returns the bytes of the answer, and checks that both servers answer with the same fields. */
async function expectSameAnswers({ request, fields, name }: Kind): Promise<number> {
  const member = world.members[0]!;
  const [own, other] = [
    await ask<Record<string, unknown[]>>(gateway.port, withoutEmptyBody(request(member))),
    await ask<Record<string, unknown[]>>(peer.port, withoutEmptyBody(request(member))),
  ];
  for (const field of fields)
    if (!own[field]?.length || !isDeepStrictEqual(own[field], other[field]))
      throw new Error(`${name}: the bare server's ${field} differ`);
  return JSON.stringify(own).length;
}

function form(
  member: Member,
  method: "GET" | "POST",
  path: string,
  fields: Readonly<Record<string, string>> = {},
): FormRequest {
  const headers = {
    authorization: credentials(member),
    "content-type": "application/x-www-form-urlencoded",
  };
  return { method, path, headers, body: new URLSearchParams(fields).toString() };
}

/** Removes an empty body, because `fetch` refuses a GET request with a body. */
function withoutEmptyBody({
  body,
  ...request
}: FormRequest): RequestInit & { readonly path: string } {
  return body === "" ? request : { ...request, body };
}
