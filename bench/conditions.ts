import { prepareBurst } from "./lib/burst.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Compares the delivery rate of messages with a `reply` condition with that of messages without a condition. No reply
// has come, so the worker sends all of them.
const messages = Number(process.env["MESSAGES"] ?? 5_000);
const rounds = Number(process.env["ROUNDS"] ?? 5);

const rows: Row[] = [];
for (const backend of backends) rows.push(await measure(backend));
await report("conditions", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  const burst = await prepareBurst(database, world);
  const worker = await startWorker(database);
  // Each message has its own topic: in a shared topic, each would be a reply to the previous message.
  const change = (unless: string | null) => (ids: readonly number[]) =>
    database.db.rows(
      `UPDATE scheduled_messages SET topic = 'case ' || id, unless = $2::jsonb,
         messages_before = pg_sequence_last_value('messages_id_seq'::regclass)
       WHERE id = ANY($1::bigint[])`,
      [ids, unless],
    );
  const [plain, conditional] = [change(null), change(JSON.stringify([{ kind: "reply" }]))];
  await burst.run(messages, plain);
  const without: number[] = [];
  const withReply: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    without.push(messages / (await burst.run(messages, plain)).seconds);
    withReply.push(messages / (await burst.run(messages, conditional)).seconds);
    say(
      `${backend}, round ${round}: ${withReply.at(-1)!.toFixed(0)}/s, without ${without.at(-1)!.toFixed(0)}/s`,
    );
  }
  await worker.stop();
  await burst.close();
  await database.drop();
  const ratio = medianRatio(withReply, without);
  return {
    question: `${messages.toLocaleString("en")} messages due in the same second with a \`reply\` condition that does not hold, ${backend} queues, against messages without`,
    value: `${ratio.toFixed(2)} × (${spread(withReply)} against ${spread(without)} messages/s)`,
    target: "at least 0.5 ×",
    holds: ratio >= 0.5,
  };
}
