import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway, type RunningGateway } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Measures the cost of an Idempotency-Key: requests with a new key against requests without a key, new keys beside
// millions of stored keys, and repeated requests, which get their stored answers.
const rounds = Number(process.env["ROUNDS"] ?? 9);
/** Number of stored keys: those of a day with 115 requests a second. */
const stored = Number(process.env["KEYS"] ?? 10_000_000);
const seconds = Number(process.env["SECONDS"] ?? 4);
const inFlight = 32;
/** Number of different requests, and of repeated keys. */
const different = 2_000;
/** Both sides send a header with a new value in each request, so that the load generator does the same work. */
const withKey = "idempotency-key";
const withoutKey = "x-no-key";

interface Installation {
  readonly database: BenchDatabase;
  readonly world: World;
  readonly gateway: RunningGateway;
}

const loader = await startLoader();
const first = await install(0);
const rows = [...(await newKeys(first)), await replays(first)];
await remove(first);
// Both installations are new, so that they differ only by the number of stored keys.
const [few, many] = [await install(0), await install(stored)];
rows.push(await besideStored(few, many));
await loader.stop();
for (const one of [few, many]) await remove(one);
await report("idempotency", rows);
process.exit(0);

async function remove({ gateway, database }: Installation): Promise<void> {
  await gateway.stop();
  await database.drop();
}

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
    say("keys stored");
  }
  return { database, world, gateway: await startGateway(database) };
}

/**
 * Returns a function that sends messages to a port.
 * @param header name of a header that gets a new value in each request
 */
function send({ world }: Installation, header: string) {
  const requests = Array.from({ length: different }, (_, n) => sendRequest(world, n));
  return (port: number) =>
    loader.run({ port, seconds, connections: inFlight, requests, numberedHeader: header });
}

async function newKeys(at: Installation): Promise<Row[]> {
  const { port } = at.gateway;
  const [keyed, plain] = [send(at, withKey), send(at, withoutKey)];
  const { ours, theirs, tails, theirTails } = await byTurns(
    () => keyed(port),
    () => plain(port),
    "without a key",
  );
  const ratio = medianRatio(ours, theirs);
  const tail = medianRatio(tails, theirTails);
  return [
    {
      question: `POST /messages, ${inFlight} in flight, each with a new Idempotency-Key, against requests without a key`,
      value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
      target: "at least 0.9 ×",
      holds: ratio >= 0.9,
    },
    {
      question: `POST /messages, ${inFlight} in flight, each with a new Idempotency-Key, against requests without a key: p99`,
      value: `${tail.toFixed(2)} × (${median(tails)} ms against ${median(theirTails)})`,
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
  // The first run stores an answer for each key.
  await run(requests)();
  const { ours, theirs } = await byTurns(run(requests), run(plain), "new ones");
  const ratio = medianRatio(ours, theirs);
  return {
    question: `POST /messages, ${inFlight} in flight, repeated with the same Idempotency-Key, against new requests without a key`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: "at least 2 ×",
    holds: ratio >= 2,
  };
}

async function besideStored(without: Installation, beside: Installation): Promise<Row> {
  const [toFew, toMany] = [send(without, withKey), send(beside, withKey)];
  const { ours, theirs } = await byTurns(
    () => toMany(beside.gateway.port),
    () => toFew(without.gateway.port),
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

interface Turns {
  /** Requests per second, by round. */
  readonly ours: number[];
  readonly theirs: number[];
  /** p99 in milliseconds, by round. */
  readonly tails: number[];
  readonly theirTails: number[];
}

/**
 * Measures two loads alternately, after a warm-up. Swaps their order in each round, because each load changes the state
 * of the database for the next one.
 */
async function byTurns(ours: Run, theirs: Run, name: string): Promise<Turns> {
  await ours();
  await theirs();
  const turns: Turns = { ours: [], theirs: [], tails: [], theirTails: [] };
  for (let round = 1; round <= rounds; round++) {
    const early = round % 2 === 0 ? undefined : await ours();
    const other = await theirs();
    const own = early ?? (await ours());
    turns.ours.push(own.rate);
    turns.theirs.push(other.rate);
    turns.tails.push(own.p99);
    turns.theirTails.push(other.p99);
    const shown = ({ rate, p99 }: typeof own) => `${rate.toFixed(0)}/s (p99 ${p99} ms)`;
    say(`round ${round}: ${shown(own)}, ${name} ${shown(other)}`);
  }
  return turns;
}
