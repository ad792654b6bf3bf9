import { setTimeout as pause } from "node:timers/promises";
import { createDeliveryJobPublisher, type DeliveryJobPublisher } from "@carillon/scheduling";
import { connectQueues, type Queues } from "@carillon/queue";
import { silentLogger } from "@carillon/kit";
import { scheduleRows } from "./scheduled-rows.ts";
import type { BenchDatabase } from "./servers.ts";
import type { World } from "./world.ts";

/** The result of one burst. */
export interface BurstResult {
  /** From the due second to the last commit, in seconds. */
  readonly seconds: number;
  /** From the due second to the first commit, in seconds. */
  readonly first: number;
  /** The due second, in UNIX seconds. */
  readonly due: number;
}

export interface Burst {
  /**
   * Schedules messages of all members for one second, waits until the worker has sent them, and checks that each was
   * sent completely.
   * @param change changes the rows before they are due
   * @throws Error if a message was not sent completely
   */
  run(count: number, change?: (ids: readonly number[]) => Promise<unknown>): Promise<BurstResult>;
  close(): Promise<void>;
}

/** Seconds from scheduling to due time. */
const ahead = 6;
/**
 * Seconds before the due time at which all messages must be scheduled: a message on shorter notice gets its own
 * delivery job.
 */
const shortNotice = 2;

/** Prepares bursts in a world, with a delivery job publisher like a gateway's. */
export async function prepareBurst(database: BenchDatabase, world: World): Promise<Burst> {
  const queues = await connectQueues({
    databaseUrl: database.url,
    redisUrl: database.redisUrl,
    log: silentLogger,
  });
  const deliveryJobs = createDeliveryJobPublisher({ queues, db: database.db, log: silentLogger });
  return {
    run: (count, change) => run(database, world, deliveryJobs, count, change),
    close: () => close(queues, deliveryJobs),
  };
}

async function close(queues: Queues, deliveryJobs: DeliveryJobPublisher): Promise<void> {
  await deliveryJobs.idle();
  await queues.close();
}

async function run(
  { db }: BenchDatabase,
  world: World,
  deliveryJobs: DeliveryJobPublisher,
  count: number,
  change?: (ids: readonly number[]) => Promise<unknown>,
): Promise<BurstResult> {
  await db.rows("CHECKPOINT");
  const [clock] = await db.rows<{ now: number }>(
    "SELECT extract(epoch FROM clock_timestamp())::float8 AS now",
  );
  const due = Math.floor(clock!.now) + ahead;
  const ids = await scheduleRows({ db }, world, count, due, false);
  await change?.(ids);
  for (const id of ids)
    deliveryJobs.add({
      realmId: world.realmId,
      scheduledMessageId: id,
      version: 1,
      deliverAt: due,
    });
  await deliveryJobs.idle();
  if (deliveryJobs.missed > 0) throw new Error("a delivery job did not reach the queue");
  if (Date.now() > (due - shortNotice) * 1_000) throw new Error("scheduling took too long");
  await pause(due * 1_000 - Date.now());
  await waitUntilDelivered(db, Math.max(...ids));
  return check(db, world, ids, due);
}

/** Waits until the last row is delivered. Polls by primary key, so that polling costs almost nothing. */
async function waitUntilDelivered(db: BenchDatabase["db"], lastId: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const [row] = await db.rows<{ delivered: boolean }>(
      { name: "bench-delivered", text: "SELECT delivered FROM scheduled_messages WHERE id = $1" },
      [lastId],
    );
    if (row?.delivered) return;
    if (Date.now() > deadline) throw new Error("the burst was not delivered within a minute");
    await pause(50);
  }
}

interface Found {
  rows: number;
  firstId: number;
  lastId: number;
  first: number;
  last: number;
  early: boolean;
}

/**
 * Checks that each message was sent completely, and returns the commit times that PostgreSQL recorded
 * (`track_commit_timestamp`).
 * @throws Error if a message or a copy is missing, or a message was sent early
 */
async function check(
  db: BenchDatabase["db"],
  { members, channels }: World,
  ids: readonly number[],
  due: number,
): Promise<BurstResult> {
  const [found] = await db.rows<Found>(
    `SELECT count(*)::int AS rows, min(m.id) AS "firstId", max(m.id) AS "lastId",
       min(extract(epoch FROM pg_xact_commit_timestamp(m.xmin)))::float8 AS first,
       max(extract(epoch FROM pg_xact_commit_timestamp(m.xmin)))::float8 AS last,
       bool_or(m.sent_at < s.deliver_at) AS early
     FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id
     WHERE s.id = ANY($1::bigint[]) AND s.delivered AND s.delivered_message_id = m.id AND m.search IS NOT NULL`,
    [ids],
  );
  if (!found || found.rows !== ids.length)
    throw new Error(`${found?.rows} of ${ids.length} were sent`);
  const [copies] = await db.rows<{ count: number }>(
    "SELECT count(*)::int AS count FROM user_messages WHERE user_id = ANY($1::int[]) AND message_id BETWEEN $2 AND $3",
    [members.map(({ id }) => id), found.firstId, found.lastId],
  );
  const wanted = (ids.length * members.length) / channels.length;
  if (copies?.count !== wanted) throw new Error(`${copies?.count} of ${wanted} copies were made`);
  if (found.early) throw new Error("a message was sent early");
  return { seconds: found.last - due, first: found.first - due, due };
}
