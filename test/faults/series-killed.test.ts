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
import type { Database } from "@carillon/db";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { addDeliveryJobs, crowd, makeOverdue, schedule, type Crowd } from "./support/load.ts";
import { gate } from "./support/obstacles.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { expectSoundSeries } from "./support/sound-series.ts";
import { verdict } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const series = 60;

/** Statements of a delivery. The worker is killed while it waits in one of them. */
const places = [
  "INSERT ON messages",
  "UPDATE OF delivered ON scheduled_messages",
  "INSERT ON series_runs",
  "UPDATE ON message_series",
  "INSERT ON scheduled_messages",
  "INSERT ON event_log",
];

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
  ) => inWorld(backend, killAtEachPlace),
  "go on though the queue is emptied": emptied,
});

async function killAtEachPlace(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  await dueOccurrences(db, people);
  for (const place of places) {
    const blocked = await gate(db, place);
    const worker = world.startWorker();
    await waitFor(async () => (await blocked.waiting()) > 0, {
      what: `a delivery is in the middle of: ${place}`,
      timeoutMs: waitTimeoutMs,
    });
    await worker.kill();
    await blocked.drop();
    await expectSoundSeries(db);
  }
  await world.worker();
  await allWentOn(db, people, 1);
  await expectEachSentOnce(db, people);
}

async function emptied(backend: QueueBackend): Promise<void> {
  const redis = backend === "redis" ? await startOwnRedis() : undefined;
  const scenario = async (world: World) => {
    const { db, queues } = world;
    const people = await crowd(db);
    await world.worker();
    const planned = await schedule(db, people, planning(3_600));
    await makeSeries(
      db,
      planned.map(({ scheduledMessageId }) => scheduledMessageId),
    );
    await addDeliveryJobs(queues, planned);
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

const planning = (dueIn: number) => ({ count: series, dueIn, seconds: 1, noReminders: true });

/** Series of several accounts whose occurrences were due half a minute ago, without delivery jobs. */
async function dueOccurrences(db: Database, people: Crowd): Promise<void> {
  const planned = await schedule(db, people, planning(-30));
  await makeSeries(
    db,
    planned.map(({ scheduledMessageId }) => scheduledMessageId),
  );
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

async function expectEachSentOnce(db: Database, { realmId }: Crowd): Promise<void> {
  await expectSoundSeries(db);
  expect(await verdict(db, realmId)).to.deep.equal({
    pending: series,
    failed: 0,
    sent: series,
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
