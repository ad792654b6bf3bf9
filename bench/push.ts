import { setTimeout as pause } from "node:timers/promises";
import { startBarePushing, startBouncer } from "./lib/bouncer.ts";
import { prepareBurst } from "./lib/burst.ts";
import { addDevices, dropDevices, enablePushNotifications } from "./lib/devices.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures the rate of push notifications, and how much they slow down sending.
const rounds = Number(process.env["ROUNDS"] ?? 5);
const notifications = 5_000;
const messages = 5_000;
/** Notifications in one call of the bouncer. */
const batchSize = 200;

const rows: Row[] = [];
for (const backend of backends) rows.push(await pushing(backend), await sending(backend));
await report("push", rows);
process.exit(0);

/** Compares the worker with the minimal loop: 100 messages in channels of 51 members who get all notifications. */
async function pushing(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 51);
  await addDevices(database.db, world);
  await enablePushNotifications(database.db, world);
  const bouncer = await startBouncer();
  const worker = await startWorker(database, [], bouncer.variables);
  const bare = await startBarePushing(bouncer);
  const burst = await prepareBurst(database, world);
  const ours: number[] = [];
  const theirs: number[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    const last = bouncer.received(notifications);
    const { due, first } = await burst.run(notifications / 50);
    const own = notifications / ((await last) - due - first);
    const request = { notifications, people: 2_500, batchSize };
    const other = notifications / (await bare.run(request));
    say(`${backend}: ${own.toFixed(0)} notifications/s, the bare loop ${other.toFixed(0)}/s`);
    if (round === 0) continue;
    ours.push(own);
    theirs.push(other);
  }
  await bare.stop();
  await worker.stop();
  await burst.close();
  await bouncer.stop();
  await database.drop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `5,000 notifications to 2,550 people, from the first message's commit to the last one's arrival, ${backend} queues, against a bare loop that encrypts and posts as many in the same batches`,
    value: `${ratio.toFixed(2)} × (${spread(ours)}/s against ${spread(theirs)}/s)`,
    target: "at least 0.6 ×",
    holds: ratio >= 0.6,
  };
}

/** Compares a burst of scheduled messages to receivers with devices with a burst to receivers without devices. */
async function sending(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  const bouncer = await startBouncer();
  const worker = await startWorker(database, [], bouncer.variables);
  const burst = await prepareBurst(database, world);
  const withDevices: number[] = [];
  const without: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const plain = messages / (await burst.run(messages)).seconds;
    await addDevices(database.db, world);
    const pushed = messages / (await burst.run(messages)).seconds;
    await allPushed(database.db);
    await dropDevices(database.db);
    say(`${backend}: ${pushed.toFixed(0)} messages/s with devices, ${plain.toFixed(0)}/s without`);
    if (round === 0) continue;
    withDevices.push(pushed);
    without.push(plain);
  }
  await worker.stop();
  await burst.close();
  await bouncer.stop();
  await database.drop();
  const ratio = medianRatio(withDevices, without);
  return {
    question: `5,000 messages of 500 senders due in the same second, whose receivers all have devices, until the last is sent, ${backend} queues, against the same without devices`,
    value: `${ratio.toFixed(2)} × (${spread(withDevices)} messages/s against ${spread(without)} messages/s)`,
    target: "at least 0.7 ×",
    holds: ratio >= 0.7,
  };
}

/** Waits until the worker has pushed all notifications. */
async function allPushed(db: Awaited<ReturnType<typeof createBenchDatabase>>["db"]): Promise<void> {
  for (;;) {
    const [left] = await db.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM job_intent WHERE state = 'pending'",
    );
    if (left?.count === 0) return;
    await pause(100);
  }
}
