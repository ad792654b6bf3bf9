import { ratesByTurns } from "./lib/by-turns.ts";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway, type RunningGateway } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Cost of an Idempotency-Key: messages with a new key each against messages without one, the same with millions of stored
// keys, and repeated requests, which get their stored answers.
const rounds = Number(process.env["ROUNDS"] ?? 5);
/** Number of stored keys: 115 requests a second make as many in a day. */
const stored = Number(process.env["KEYS"] ?? 10_000_000);
const seconds = Number(process.env["SECONDS"] ?? 5);
const inFlight = 32;
/** Number of different requests, and of repeated keys. */
const different = 2_000;
/** Both sides send a header with a new value in each request, so that the load generator has the same cost. */
const withKey = "idempotency-key";
const withoutKey = "x-no-key";

interface Installation {
  readonly database: BenchDatabase;
  readonly world: World;
  readonly gateway: RunningGateway;
}

const loader = await startLoader();
const empty = await install(0);
const rows = [...(await newKeys(empty)), await replays(empty)];
const full = await install(stored);
rows.push(await besideStored(empty, full));
await loader.stop();
for (const { gateway, database } of [empty, full]) {
  await gateway.stop();
  await database.drop();
}
await report("idempotency", rows);
process.exit(0);

/** Starts a gateway with its own database. @param keys number of stored keys, of the last 23 hours */
async function install(keys: number): Promise<Installation> {
  const database = await createBenchDatabase("postgres");
  const { db } = database;
  const world = await createWorld(db, 50, 10);
  await db.rows("INSERT INTO clients (name) VALUES ('bench') ON CONFLICT DO NOTHING");
  if (keys > 0) {
    say(`storing ${keys} keys`);
    // Building the index after the INSERT is faster.
    await db.rows("ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey");
    await db.rows(
      `INSERT INTO idempotency_keys (id, account_id, fingerprint, answer, created_at)
       SELECT gen_random_uuid(), ($1::int[])[1 + n % cardinality($1::int[])], sha256(n::text::bytea),
         json_build_object('id', n), now() - interval '23 hours' * (1 - n::float8 / $2)
       FROM generate_series(1, $2::int) n`,
      [world.members.map(({ id }) => id), keys],
    );
    await db.rows("ALTER TABLE idempotency_keys ADD PRIMARY KEY (id)");
    await db.rows("VACUUM ANALYZE idempotency_keys");
    await db.rows("CHECKPOINT");
    say("stored");
  }
  return { database, world, gateway: await startGateway(database) };
}

/** @param header set to another value in each request */
function send({ world }: Installation, header: string) {
  const requests = Array.from({ length: different }, (_, n) => sendRequest(world, n));
  return (port: number) =>
    loader.run({ port, seconds, connections: inFlight, requests, numberedHeader: header });
}

async function newKeys(at: Installation): Promise<Row[]> {
  const { port } = at.gateway;
  const [keyed, plain] = [send(at, withKey), send(at, withoutKey)];
  await keyed(port);
  await plain(port);
  const [ours, theirs, tails, plainTails]: [number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  for (let round = 1; round <= rounds; round++) {
    const own = await keyed(port);
    const other = await plain(port);
    ours.push(own.rate);
    theirs.push(other.rate);
    tails.push(own.p99);
    plainTails.push(other.p99);
    say(
      `round ${round}: with a new key ${own.rate.toFixed(0)}/s (p99 ${own.p99} ms), without ${other.rate.toFixed(0)}/s (p99 ${other.p99} ms)`,
    );
  }
  const ratio = medianRatio(ours, theirs);
  const tail = medianRatio(tails, plainTails);
  return [
    {
      question: `POST /messages, ${inFlight} in flight, each with a new Idempotency-Key, against without`,
      value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
      target: "at least 0.9 ×",
      holds: ratio >= 0.9,
    },
    {
      question: "The same: p99",
      value: `${tail.toFixed(2)} × (${median(tails)} ms against ${median(plainTails)})`,
      target: "at most 1.2 ×",
      holds: tail <= 1.2,
    },
  ];
}

async function replays(at: Installation): Promise<Row> {
  const { port } = at.gateway;
  const { world } = at;
  const requests = Array.from({ length: different }, (_, n) => {
    const { headers, ...request } = sendRequest(world, n);
    return { ...request, headers: { ...headers, [withKey]: `repeated-${n}` } };
  });
  const plain = Array.from({ length: different }, (_, n) => sendRequest(world, n));
  const run = (of: typeof plain) => () =>
    loader.run({ port, seconds, connections: inFlight, requests: of });
  // The first run sends them all, several times.
  await run(requests)();
  const { ours, theirs } = await byTurns(run(requests), run(plain), "sends");
  const ratio = medianRatio(ours, theirs);
  return {
    question: `POST /messages, ${inFlight} in flight, repeated with their Idempotency-Key, against new ones without`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: "at least 2 ×",
    holds: ratio >= 2,
  };
}

async function besideStored(without: Installation, beside: Installation): Promise<Row> {
  const [few, many] = [send(without, withKey), send(beside, withKey)];
  const { ours, theirs } = await byTurns(
    () => many(beside.gateway.port),
    () => few(without.gateway.port),
    "with few",
  );
  const ratio = medianRatio(ours, theirs);
  return {
    question: `POST /messages, ${inFlight} in flight, each with a new Idempotency-Key, with ${stored.toLocaleString("en")} keys stored against few`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: "at least 0.95 ×",
    holds: ratio >= 0.95,
  };
}

type Run = () => ReturnType<typeof loader.run>;

/** Measures the rates of two loads in turn. */
function byTurns(ours: Run, theirs: Run, name: string) {
  const sides = { gateway: 0, peer: 1 };
  return ratesByTurns((side) => (side === sides.gateway ? ours() : theirs()), sides, rounds, name);
}
