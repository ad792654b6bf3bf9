import { ask } from "./lib/http.ts";
import { fillPast } from "./lib/past.ts";
import { report, say } from "./lib/report.ts";
import { credentials } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { settling } from "./lib/settle.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { createWorld } from "./lib/world.ts";

// Measures one request that gives a topic of 10,000 messages another name.
const messages = 10_000;
const subscribers = 100;
const rounds = 5;
const limits = { times: 3, heldMs: 50 };

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, 1, subscribers);
const channel = world.channels[0]!;
const mover = channel.members[0]!;
await fillPast(db, world, messages, 1);
const topic = (n: number) => `topic number ${n}`;
await db.rows("UPDATE messages SET topic = $1", [topic(0)]);
const [newest] = await db.rows<{ id: number }>("SELECT max(id) AS id FROM messages");
if (!newest) throw new Error("there are no messages");
const gateway = await startGateway(database, [...settling, ...watchable]);

const ours: number[] = [];
const bare: number[] = [];
const held: number[] = [];
const busy: number[] = [];
let moves = 0;
// The first round is a warm-up.
for (let round = 0; round <= rounds; round++) {
  await db.rows("VACUUM ANALYZE messages");
  await db.rows("CHECKPOINT");
  const least = await timed(() =>
    db.transaction((tx) =>
      tx.rows(
        "UPDATE messages SET topic = $3 WHERE recipient_id = $1 AND is_channel AND lower(topic) = lower($2)",
        [channel.recipientId, topic(moves), topic(++moves)],
      ),
    ),
  );
  await db.rows("VACUUM ANALYZE messages");
  await db.rows("CHECKPOINT");
  const watched = watch(gateway);
  const took = await timed(() => move(topic(++moves)));
  const { heldMs, busyMs } = await watched();
  const left = await db.rows("SELECT FROM messages WHERE topic <> $1", [topic(moves)]);
  if (left.length > 0) throw new Error(`${left.length} messages were not moved`);
  say(
    `${took.toFixed(0)} ms, a bare UPDATE ${least.toFixed(0)} ms; the event loop held for ${heldMs.toFixed(0)} ms (${busyMs.toFixed(0)} ms of processor time)`,
  );
  if (round === 0) continue;
  ours.push(took);
  bare.push(least);
  held.push(heldMs);
  busy.push(busyMs);
}
await gateway.stop();
await database.drop();

const ratio = medianRatio(ours, bare);
const what = `PATCH /messages/{message_id}, change_all: a topic of ${messages.toLocaleString("en")} messages of a channel with ${subscribers} subscribers gets another name`;
await report("move-topic", [
  {
    question: `${what}: until the answer, against a bare UPDATE of the topic of the same rows in its own transaction`,
    value: `${ratio.toFixed(2)} × (ms: ${spread(ours)} against ${spread(bare)})`,
    target: `at most ${limits.times} ×`,
    holds: ratio <= limits.times,
  },
  {
    question: `${what}: the longest that the gateway's event loop was held (monitorEventLoopDelay)`,
    value: `${spread(held)} ms (processor time between two samples: ${spread(busy)} ms)`,
    target: `never over ${limits.heldMs} ms`,
    holds: Math.max(...held) <= limits.heldMs,
  },
]);
process.exit(0);

async function move(name: string): Promise<void> {
  await ask(gateway.port, {
    method: "PATCH",
    path: `/api/v1/messages/${newest?.id}`,
    headers: {
      Authorization: credentials(mover),
      "Content-Type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({
      topic: name,
      propagate_mode: "change_all",
      send_notification_to_new_thread: "false",
    }).toString(),
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
