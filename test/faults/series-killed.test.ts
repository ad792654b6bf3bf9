import { deliverAll } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import {
  killedAfter,
  makeSeries,
  redisCommand,
  startOwnRedis,
  testSite,
  useDatabase,
  waitFor,
  type QueueBackend,
} from "@carillon/testkit";
import { lockClass, type Database } from "@carillon/db";
import { queues as declaredQueues, type PendingDelivery } from "@carillon/jobs";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { killWorkersAt, type Point } from "./support/kill-workers.ts";
import { addDeliveryJobs, crowd, makeOverdue, schedule, type Crowd } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { expectSoundSeries } from "./support/sound-series.ts";
import { verdict } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const series = 60;

/** Where a delivery is when its worker is killed: before and after each of its statements that write, and in its COMMIT. */
const points: ReadonlyArray<Pick<Point, "statement" | "commits">> = [
  ...[
    "UPDATE OF delivered ON scheduled_messages",
    "INSERT ON messages",
    "INSERT ON user_messages",
    "INSERT ON user_topics",
    "INSERT ON series_runs",
    "UPDATE ON message_series",
    "INSERT ON scheduled_messages",
    "INSERT ON delivery_batches",
    "UPDATE ON event_head",
    "INSERT ON event_log",
  ].flatMap((write) => [{ statement: `BEFORE ${write}` }, { statement: `AFTER ${write}` }]),
  { statement: "COMMIT OF INSERT ON series_runs" },
  { statement: "COMMIT OF INSERT ON series_runs", commits: true },
];

/** Organizations that a worker delivers when it is killed, each at another point. It can deliver one more. */
const atOnce = declaredQueues.delivery.concurrency - 1;

/** Series of each of them. */
const seriesEach = 8;

describe("A delivery of occurrences that is killed after any number of statements", () => {
  const db = useDatabase();

  it("sends each occurrence once, and plans each next one once", async () => {
    const people = await crowd(db);
    await dueOccurrences(db, people);
    let killed = true;
    let kills = 0;
    for (let statements = 1; killed; statements += 1) {
      killed = await killedAfter(db, statements, (own) =>
        deliverAll({ db: own, site: testSite(), log: silentLogger, batch: 20 }, people.realmId, {
          maxBatches: 100,
        }),
      );
      if (killed) kills++;
      await expectSoundSeries(db);
    }
    expect(kills).to.be.at.least(20);
    await expectEachSentOnce(db, people);
  });
});

onBothBackends("Series whose occurrences fall due", scenarioMs, {
  "go on, each occurrence sent once, though workers are killed in the middle of deliveries": (
    backend,
  ) => inWorld(backend, killAtEachPoint),
  "go on though the queue is emptied": emptied,
});

async function killAtEachPoint(world: World): Promise<void> {
  const { db, queues } = world;
  const all: Crowd[] = [];
  let killed: Crowd[] = [];
  for (let first = 0; first < points.length; first += atOnce) {
    const next: Crowd[] = [];
    const stops: Point[] = [];
    for (const point of points.slice(first, first + atOnce)) {
      const people = await crowd(db);
      // The sweep would deliver them carefully: what is then killed waits 20 s for its next try.
      await addDeliveryJobs(queues, await dueOccurrences(db, people, seriesEach));
      next.push(people);
      stops.push({ ...point, holder: { lockClass: lockClass.deliver, key: people.realmId } });
    }
    // The worker that is killed next does what the last one was doing, beside its own.
    const before = killed;
    await killWorkersAt(world, stops, { meanwhile: () => allRecovered(db, before) });
    await expectSoundSeries(db);
    killed = next;
    all.push(...next);
  }
  const last = await world.worker();
  await allRecovered(db, killed);
  await last.kill();
  for (const people of all) await expectEachSentOnce(db, people, seriesEach);
}

async function allRecovered(db: Database, crowds: readonly Crowd[]): Promise<void> {
  await Promise.all(crowds.map((people) => allWentOn(db, people, 1)));
}

async function emptied(backend: QueueBackend): Promise<void> {
  const redis = backend === "redis" ? await startOwnRedis() : undefined;
  const scenario = async (world: World) => {
    const { db } = world;
    const people = await crowd(db);
    await world.worker();
    const planned = await schedule(db, people, planning(3_600));
    await makeSeries(
      db,
      planned.map(({ scheduledMessageId }) => scheduledMessageId),
    );
    await addDeliveryJobs(world.queues, planned);
    if (redis) {
      await redisCommand(redis.url, "FLUSHALL");
      await redis.stop("SIGKILL");
      await redis.start();
    } else {
      await db.rows("TRUNCATE bullmq.job CASCADE");
    }
    for (const round of [1, 2]) {
      await makeOverdue(db, people, 20);
      await allWentOn(db, people, round);
    }
    await expectSoundSeries(db);
  };
  try {
    await inWorld(backend, scenario, { redisUrl: redis?.url });
  } finally {
    await redis?.close();
  }
}

const planning = (dueIn: number, count = series) => ({
  count,
  dueIn,
  seconds: 1,
  noReminders: true,
});

/** Series of several accounts whose occurrences were due half a minute ago, without delivery jobs. */
async function dueOccurrences(
  db: Database,
  people: Crowd,
  count = series,
): Promise<PendingDelivery[]> {
  const planned = await schedule(db, people, planning(-30, count));
  await makeSeries(
    db,
    planned.map(({ scheduledMessageId }) => scheduledMessageId),
  );
  return planned;
}

/** Waits until each series has sent so many messages. */
async function allWentOn(db: Database, { realmId }: Crowd, messages: number): Promise<void> {
  const done = async () => {
    const [row] = await db.rows<{ least: number }>(
      "SELECT min(sent_count) AS least FROM message_series WHERE realm_id = $1",
      [realmId],
    );
    return (row?.least ?? 0) >= messages;
  };
  await waitFor(done, {
    what: `each series has sent ${messages}`,
    // The scenarios of this file run at once, and a Redis that is started anew is reached again late on a busy machine.
    timeoutMs: 1.5 * waitTimeoutMs,
    everyMs: 100,
  });
}

async function expectEachSentOnce(db: Database, { realmId }: Crowd, count = series): Promise<void> {
  await expectSoundSeries(db);
  expect(await verdict(db, realmId)).to.deep.equal({
    pending: count,
    failed: 0,
    sent: count,
    twice: 0,
    unmatched: 0,
    altered: 0,
    copies: 0,
    events: 0,
    disordered: 0,
    early: 0,
  });
  const [late] = await db.rows<{ due: number }>(
    "SELECT count(*)::int AS due FROM scheduled_messages WHERE realm_id = $1 AND NOT delivered AND deliver_at <= now()",
    [realmId],
  );
  expect(late).to.deep.equal({ due: 0 });
}
