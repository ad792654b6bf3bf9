import { makeSeries } from "@carillon/testkit";
import { prepareBurst } from "./lib/burst.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Compares the delivery rate of occurrences, one of each series, with that of messages without a series. Each
// occurrence plans the next one.
const messages = Number(process.env["MESSAGES"] ?? 5_000);
const rounds = Number(process.env["ROUNDS"] ?? 5);

const rows: Row[] = [];
for (const backend of backends) rows.push(await measure(backend));
await report("series", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const { db } = database;
  const world = await createWorld(db, 50, 10);
  const burst = await prepareBurst(database, world);
  const worker = await startWorker(database);
  const plain = async () => messages / (await burst.run(messages)).seconds;
  const occurrences = async () => {
    const { seconds } = await burst.run(messages, (ids) => makeSeries(db, ids));
    await checkPlanned();
    return messages / seconds;
  };
  const checkPlanned = async () => {
    const [planned] = await db.rows<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM message_series m JOIN scheduled_messages s ON s.series_id = m.id
       WHERE m.sent_count = 1 AND s.deliver_at > now() AND NOT s.delivered`,
    );
    if (planned?.rows !== messages) throw new Error(`${planned?.rows} of ${messages} were planned`);
    // Deletes the planned occurrences, so that each round begins with the same tables.
    await db.rows("DELETE FROM scheduled_messages WHERE series_id IS NOT NULL AND NOT delivered");
    await db.rows("DELETE FROM message_series");
  };
  await plain();
  await occurrences();
  const without: number[] = [];
  const withSeries: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    without.push(await plain());
    withSeries.push(await occurrences());
    say(
      `${backend}, round ${round}: ${withSeries.at(-1)!.toFixed(0)}/s, without ${without.at(-1)!.toFixed(0)}/s`,
    );
  }
  await worker.stop();
  await burst.close();
  await database.drop();
  const ratio = medianRatio(withSeries, without);
  return {
    question: `${messages.toLocaleString("en")} occurrences of as many series due in the same second, ${backend} queues, against messages without a series`,
    value: `${ratio.toFixed(2)} × (${spread(withSeries)} against ${spread(without)} messages/s)`,
    target: "at least 0.6 ×",
    holds: ratio >= 0.6,
  };
}
