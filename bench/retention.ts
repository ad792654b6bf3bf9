import { sweepRetention } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import { loadavg } from "node:os";
import { startLoad, type Load } from "./lib/load.ts";
import { fillPast } from "./lib/past.ts";
import { report, say } from "./lib/report.ts";
import { processorMsOf } from "./lib/settle.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Removing what is kept no longer, by itself, against the least that moving it costs, and while others send.
const rounds = 3;
const rooms = 20;
const subscribers = 10;
/** Messages that are removed by the sweep alone, and by the bare statement, in each round. */
const alone = 20_000;
/** Seconds of sending, without the sweep and with it; there is more to remove than it can. */
const seconds = 3;
const during = 75_000;
const atOnce = 1_000;

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, rooms, subscribers);
const parts = ["bare", "alone", "during"] as const;
const sizes = { bare: alone, alone, during };
// What is removed first lies lowest, as in life, and what is sent meanwhile comes after all of it.
let age = 10_000;
const chunks: Array<{ part: (typeof parts)[number]; age: number }> = [];
for (let round = 0; round < rounds; round++)
  for (const part of parts) {
    age -= 10;
    await fillPast(db, world, sizes[part], age);
    chunks.push({ part, age });
  }
await db.rows("CREATE TABLE bench_archive (LIKE archived_messages INCLUDING ALL)");
await db.rows("VACUUM ANALYZE");
say(`${chunks.reduce((sum, { part }) => sum + sizes[part], 0)} messages of the past are there`);
const gateway = await startGateway(database);
const load = await startLoad(world, "send");
await load.run(gateway.port, seconds);

const rates = { bare: [] as number[], alone: [] as number[], during: [] as number[] };
/** Milliseconds of processor time of PostgreSQL for a thousand messages. */
const costs = { bare: [] as number[], alone: [] as number[], during: [] as number[] };
const sends = { without: [] as number[], meanwhile: [] as number[] };
for (const { part, age: days } of chunks) {
  await db.rows("CHECKPOINT");
  const startedAt = performance.now();
  const before = await backendsMs();
  if (part === "bare") await removeBare(sizes.bare, days);
  if (part === "alone") await sweep(days);
  if (part === "during") await measureSends(load, days);
  else {
    rates[part].push(sizes[part] / ((performance.now() - startedAt) / 1_000));
    costs[part].push((((await backendsMs()) - before) / sizes[part]) * 1_000);
  }
  say(
    `${part}: ${rates[part].at(-1)?.toFixed(0)} messages/s, ${costs[part].at(-1)?.toFixed(0)} ms of processor time a thousand, load average ${loadavg()[0]?.toFixed(1)}`,
  );
}
await load.stop();
await gateway.stop();
await database.drop();

const rate = median(rates.alone);
const kept = medianRatio(sends.meanwhile, sends.without);
await report("retention", [
  {
    question: `retention removes messages with ${subscribers} copies each, from ${rooms} channels, in batches of at most ${atOnce}, with their events, nobody sending; beside it one bare statement a batch that moves them without events, locks and checks`,
    value: `${spread(rates.alone)} messages/s (the bare statement ${spread(rates.bare)}; ${medianRatio(rates.alone, rates.bare).toFixed(2)} ×)`,
    target: "at least 20,000 messages/s",
    holds: rate >= 20_000,
  },
  {
    question: `POST /messages, 8 in flight, while retention removes as fast as it can, against the same without it`,
    value: `${kept.toFixed(2)} × (${spread(sends.meanwhile)} requests/s against ${spread(sends.without)}; meanwhile ${spread(rates.during)} messages/s were removed)`,
    target: "at least 0.66 ×",
    holds: kept >= 0.66,
  },
]);
process.exit(0);

/** Processor time of the server's processes that work in the database, so far. */
async function backendsMs(): Promise<number> {
  const rows = await db.rows<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
  );
  return rows.reduce((sum, { pid }) => sum + processorMsOf(pid), 0);
}

/** Removes what is older than so many days, and a bit, until nothing is left or it is told to end. */
async function sweep(days: number, signal = new AbortController().signal): Promise<number> {
  await db.rows("UPDATE channels SET message_retention_days = $1", [days - 5]);
  await db.rows("DELETE FROM daily_work");
  return sweepRetention({ db, log: silentLogger, signal });
}

async function measureSends(loader: Load, days: number): Promise<void> {
  sends.without.push((await loader.run(gateway.port, seconds)).rate);
  const ending = new AbortController();
  const startedAt = performance.now();
  const sweeping = sweep(days, ending.signal).then((removed) => {
    rates.during.push(removed / ((performance.now() - startedAt) / 1_000));
    return removed;
  });
  sends.meanwhile.push((await loader.run(gateway.port, seconds)).rate);
  ending.abort();
  if ((await sweeping) >= during) throw new Error("there was too little to remove");
  // What is left of it is not for the next round.
  await sweep(days);
}

/** The same moves by statements alone. */
async function removeBare(count: number, days: number): Promise<void> {
  let removed = 0;
  for (const { recipientId, members } of world.rooms)
    for (let more = true; more;) {
      const [row] = await db.rows<{ count: number }>(
        {
          name: "bench-bare-removal",
          text: `WITH old AS (
              SELECT id FROM messages WHERE recipient_id = $1 AND sent_at < now() - make_interval(days => $2)
              ORDER BY id LIMIT ${atOnce}
            ), gone AS (
              DELETE FROM messages WHERE id = ANY(ARRAY(SELECT id FROM old)) RETURNING *
            ), copy AS (
              DELETE FROM user_messages um USING unnest($3::int[]) AS u (id)
              WHERE um.user_id = u.id AND um.message_id = ANY(ARRAY(SELECT id FROM old))
              RETURNING um.user_id, um.message_id, um.flags
            ), packed AS (
              SELECT message_id, array_agg(user_id) AS ids, array_agg(flags) AS flags FROM copy GROUP BY message_id
            ), kept AS (
              INSERT INTO bench_archive SELECT 1, g.id, g.scheduled_message_id, g.realm_id, g.sender_id, g.recipient_id,
                g.is_channel, g.topic, g.content, g.rendered_content, g.render_version, g.sent_at, g.client_id,
                g.edit_history, g.last_edit_at, g.has_link, g.has_image, g.has_attachment, p.ids, p.flags
              FROM gone g JOIN packed p ON p.message_id = g.id RETURNING 1
            ) SELECT count(*)::int AS count FROM kept`,
        },
        [recipientId, days - 5, members.map(({ id }) => id)],
      );
      removed += row?.count ?? 0;
      more = row?.count === atOnce;
    }
  if (removed !== count) throw new Error(`${removed} of ${count} were removed`);
}
