import { deliverAll } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import { chatLine } from "./lib/chat-lines.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, scheduleRequest } from "./lib/requests.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { benchSite, startGateway, type RunningGateway } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Compares the cost of creating, listing and delivering messages beside a million pending messages with the cost beside
// a thousand.
const few = 1_000;
const many = 1_000_000;
const listed = 20;
const due = 200;
const rounds = 8;
const requests = 60;

interface Side {
  readonly database: BenchDatabase;
  readonly world: World;
  readonly gateway: RunningGateway;
}

/** Milliseconds of one operation, by round. */
interface Costs {
  readonly creating: number[];
  readonly listing: number[];
  readonly delivering: number[];
}

const small = await prepare(few);
const large = await prepare(many);
const costs = [small, large].map((): Costs => ({ creating: [], listing: [], delivering: [] }));
// Alternates between both sides, so that other load on the machine affects both. The first round is a warm-up.
for (let round = 0; round <= rounds; round++) {
  for (const [i, side] of [small, large].entries()) {
    const creating = await create(side, round);
    const listing = await list(side);
    const delivering = await deliver(side);
    if (round === 0) continue;
    costs[i]!.creating.push(creating);
    costs[i]!.listing.push(listing);
    costs[i]!.delivering.push(delivering);
  }
}
const rows = (["creating", "listing", "delivering"] as const).map(row);
await report("pending-growth", rows);
for (const { gateway } of [small, large]) await gateway.stop();
process.exit(0);

function row(name: keyof Costs): Row {
  const [before = "", after = ""] = costs.map((side) => spread(side[name], 2));
  const ratio = medianRatio(costs[1]![name], costs[0]![name]);
  const what = {
    creating: "creating one through the gateway",
    listing: `listing by a member with ${listed}`,
    delivering: `delivering a batch of ${due}`,
  }[name];
  return {
    question: `pending messages 1,000 → 1,000,000: ${what}`,
    value: `${ratio.toFixed(2)} × (ms: ${before} → ${after})`,
    target: "at most 1.3 ×",
    holds: ratio <= 1.3,
  };
}

/**
 * Creates an organization with this many pending messages, spread over the next year and over all members but the
 * first.
 */
async function prepare(pending: number): Promise<Side> {
  const database = await createBenchDatabase("postgres");
  const { db } = database;
  const world = await createWorld(db, 50, 10);
  const gateway = await startGateway(database);
  // Creates the row of `clients` that the inserted messages refer to.
  await create({ database, world, gateway }, 0);
  const [, ...senders] = world.members;
  const step = 100_000;
  await withoutForeignKeys(database, async () => {
    for (let from = 0; from < pending; from += step) {
      await insertPending(database, world, senders, from, Math.min(step, pending - from));
    }
  });
  await insertPending(database, world, world.members.slice(0, 1), 0, listed);
  await db.rows("VACUUM ANALYZE scheduled_messages");
  await db.rows("CHECKPOINT");
  say(`${pending} messages are pending`);
  return { database, world, gateway };
}

/**
 * Drops the table's foreign keys during the work. Checking five of them for each of a million rows would take longer
 * than the rest of the bench; adding them again checks all rows at once.
 */
async function withoutForeignKeys({ db }: BenchDatabase, work: () => Promise<void>): Promise<void> {
  const keys = await db.rows<{ name: string; definition: string }>(
    `SELECT quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = 'scheduled_messages'::regclass AND contype = 'f'`,
  );
  const change = (clauses: readonly string[]) =>
    db.rows(`ALTER TABLE scheduled_messages ${clauses.join(", ")}`);
  await change(keys.map(({ name }) => `DROP CONSTRAINT ${name}`));
  await work();
  await change(keys.map(({ name, definition }) => `ADD CONSTRAINT ${name} ${definition}`));
}

/** Inserts pending messages. Marks those due within a day as having delivery jobs. */
async function insertPending(
  { db }: BenchDatabase,
  { realmId, channels }: World,
  senders: World["members"],
  from: number,
  count: number,
): Promise<void> {
  const channelOf = new Map(
    channels.flatMap((channel) => channel.members.map(({ id }) => [id, channel])),
  );
  const lines = Array.from({ length: 500 }, (_, n) => chatLine(n, "nobody"));
  await db.rows(
    `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content,
       client_id, deliver_at, alarmed_at, read_by_sender)
     SELECT $1, s.sender_id, s.recipient_id, s.channel_id, 'topic ' || n % 8, l.line, '<p>' || l.line || '</p>',
       (SELECT min(id) FROM clients), d.at, CASE WHEN d.at < now() + interval '1 day' THEN now() END, false
     FROM generate_series($2::int, $2::int + $3::int - 1) AS n
     CROSS JOIN LATERAL (SELECT date_trunc('second', now()) + interval '1 hour'
       + make_interval(secs => (n::bigint * 7919) % 31536000) AS at) d
     JOIN unnest($4::int[], $5::int[], $6::int[]) WITH ORDINALITY AS s (sender_id, recipient_id, channel_id, ord)
       ON s.ord = 1 + n % cardinality($4::int[])
     JOIN unnest($7::text[]) WITH ORDINALITY AS l (line, ord) ON l.ord = 1 + n % cardinality($7::text[])`,
    [
      realmId,
      from,
      count,
      senders.map(({ id }) => id),
      senders.map(({ id }) => channelOf.get(id)!.recipientId),
      senders.map(({ id }) => channelOf.get(id)!.id),
      lines,
    ],
  );
}

/** Schedules messages. @returns the median time of a request, in milliseconds */
async function create({ world, gateway }: Side, round: number): Promise<number> {
  const at = Math.floor(Date.now() / 1_000) + 7_200;
  const times: number[] = [];
  for (let i = 0; i < requests; i++) {
    // The first member schedules nothing, because `list` measures their messages.
    const n = (round * requests + i) % world.members.length || 1;
    const { path, ...request } = scheduleRequest(world, n, at + i);
    times.push(await timed(gateway, path, request));
  }
  return median(times);
}

/** Lists the first member's messages. @returns the median time of a request, in milliseconds */
async function list({ world, gateway }: Side): Promise<number> {
  const headers = { authorization: credentials(world.members[0]!) };
  const times: number[] = [];
  for (let i = 0; i < requests; i++)
    times.push(await timed(gateway, "/api/v1/scheduled_messages", { headers }));
  return median(times);
}

async function timed({ port }: RunningGateway, path: string, init: RequestInit): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  const took = performance.now() - startedAt;
  if (!response.ok) throw new Error(`refused: ${text}`);
  return took;
}

/** Delivers a batch. @returns milliseconds from the claim to the commit */
async function deliver({ database, world }: Side): Promise<number> {
  const { db } = database;
  await insertPending(database, world, world.members.slice(1), 0, due);
  await db.rows(
    `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now())
     WHERE id IN (SELECT id FROM scheduled_messages ORDER BY id DESC LIMIT $1)`,
    [due],
  );
  const startedAt = performance.now();
  let sent = 0;
  await deliverAll({ db, site: benchSite, log: silentLogger }, world.realmId, {
    maxBatches: 10,
    onBatch: (outcomes) => void (sent += outcomes.filter(({ kind }) => kind === "sent").length),
  });
  const took = performance.now() - startedAt;
  if (sent !== due) throw new Error(`${sent} of ${due} were sent`);
  return took;
}
