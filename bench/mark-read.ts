import { ask } from "./lib/http.ts";
import { startLoad } from "./lib/load.ts";
import { fillPast } from "./lib/past.ts";
import { report, say } from "./lib/report.ts";
import { markAllReadRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { createWorld } from "./lib/world.ts";

// Compares marking 50,000 messages as read with marking 50, and measures how it delays other requests.
const rounds = 7;
const few = 50;
const many = 50_000;
const seconds = 3;

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, 2, 10);
const reader = world.channels[0]!.members[1]!;
await fillPast(db, world, 2 * many, 10);
await db.rows("VACUUM ANALYZE");
const gateway = await startGateway(database, [...watchable]);
const worker = await startWorker(database);
const load = await startLoad(world, "send");
say(`the reader has copies of ${many} messages`);

const answers = { few: [] as number[], many: [] as number[] };
const untilRead: number[] = [];
const held: number[] = [];
// The first round is a warm-up.
for (let round = 0; round <= rounds; round++) {
  await leaveUnread(few);
  const [small] = await mark();
  await leaveUnread(many);
  const watched = watch(gateway);
  const [large, all] = await mark();
  const { heldMs } = await watched();
  say(
    `${few}: ${small.toFixed(0)} ms; ${many}: ${large.toFixed(0)} ms, until nothing is unread ${all.toFixed(0)} ms`,
  );
  if (round === 0) continue;
  answers.few.push(small);
  answers.many.push(large);
  untilRead.push(all);
  held.push(heldMs);
}
const quiet: number[] = [];
const meanwhile: number[] = [];
await load.run(gateway.port, seconds);
for (let round = 0; round < rounds; round++) {
  quiet.push((await load.run(gateway.port, seconds)).p95);
  await leaveUnread(many);
  const sending = load.run(gateway.port, seconds);
  await mark();
  meanwhile.push((await sending).p95);
  say(`p95 of sending: ${quiet.at(-1)} ms, while the reader marks ${many}: ${meanwhile.at(-1)} ms`);
}
await load.stop();
await worker.stop();
await gateway.stop();
await database.drop();

const ratio = medianRatio(answers.many, answers.few);
const slower = medianRatio(meanwhile, quiet);
await report("mark-read", [
  {
    question: `POST /mark_all_as_read with ${many.toLocaleString("en")} unread messages, until the answer, against ${few}`,
    value: `${ratio.toFixed(2)} × (ms: ${spread(answers.many)} against ${spread(answers.few)}; until nothing is unread ${spread(untilRead)})`,
    target: "at most 10 ×",
    holds: ratio <= 10,
  },
  {
    question: `p95 of POST /messages, 8 in flight for ${seconds} s, while a member marks ${many.toLocaleString("en")} messages as read, against the same without such a request`,
    value: `${slower.toFixed(2)} × (ms: ${spread(meanwhile)} against ${spread(quiet)})`,
    target: "at most 2 ×",
    holds: slower <= 2,
  },
  {
    question: `the longest that the gateway's event loop was held while it marked ${many.toLocaleString("en")} messages as read`,
    value: `${spread(held)} ms`,
    target: "never over 50 ms",
    holds: median(held) <= 50 && Math.max(...held) <= 50,
  },
]);
process.exit(0);

/** Marks the reader's newest `count` copies as unread, and all others as read. */
async function leaveUnread(count: number): Promise<void> {
  await db.rows("UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1 AND flags & 1 = 0", [
    reader.id,
  ]);
  await db.rows(
    `UPDATE user_messages um SET flags = flags & ~1
     FROM (SELECT message_id FROM user_messages WHERE user_id = $1 ORDER BY message_id DESC LIMIT $2) newest
     WHERE um.user_id = $1 AND um.message_id = newest.message_id`,
    [reader.id, count],
  );
  await db.rows("VACUUM user_messages");
  await db.rows("CHECKPOINT");
}

/** Marks all messages as read. @returns milliseconds until the answer, and until no earlier message is unread */
async function mark(): Promise<[answer: number, all: number]> {
  const startedAt = performance.now();
  const [before] = await db.rows<{ id: number }>("SELECT max(id) AS id FROM messages");
  const askedAt = performance.now();
  await ask<{ complete: boolean }>(gateway.port, markAllReadRequest(reader));
  const answered = performance.now() - askedAt;
  for (;;) {
    const [left] = await db.rows<{ any: boolean }>(
      "SELECT EXISTS (SELECT FROM user_messages WHERE user_id = $1 AND flags & 1 = 0 AND message_id <= $2) AS any",
      [reader.id, before!.id],
    );
    if (!left!.any) return [answered, performance.now() - startedAt];
  }
}
