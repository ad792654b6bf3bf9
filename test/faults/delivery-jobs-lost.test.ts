import type { Database } from "@carillon/db";
import { redisCommand, startOwnRedis, type QueueBackend } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, makeOverdue, schedule, addDeliveryJobs, type Crowd } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { sweptWorker } from "./support/swept-worker.ts";
import { allSent, expectSentOnce, pending, repairsCounted } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const messages = 1_000;
/** Seconds from scheduling to the due time, in the scenarios with a wrong clock. */
const dueIn = 5;

const wrongClock = new URL("support/skewed-clock.mjs", import.meta.url).href;

onBothBackends("A thousand pending messages", scenarioMs, {
  "are sent although the queue is emptied": emptied,
  "are sent, none early, by a worker whose clock is five minutes ahead": (backend) =>
    skewed(backend, 5),
  "are sent, none early, by a worker whose clock is five minutes behind": (backend) =>
    skewed(backend, -5),
});

async function emptied(backend: QueueBackend): Promise<void> {
  const redis = backend === "redis" ? await startOwnRedis() : undefined;
  const scenario = async (world: World) => {
    const people = await crowd(world.db);
    await sweptWorker(world, people);
    await scheduleThousand(world, people, 3_600);
    if (redis) {
      await redisCommand(redis.url, "FLUSHALL");
      await redis.stop("SIGKILL");
      await redis.start();
    } else {
      await world.db.rows("TRUNCATE bullmq.job CASCADE");
    }
    expect(await pending(world.db, people.realmId)).to.equal(messages);
    await makeOverdue(world.db, people, 20);
    await expectSent(world.db, people, 1 + messages);
    await repairsCounted(world.db);
  };
  try {
    await inWorld(backend, scenario, { redisUrl: redis?.url });
  } finally {
    await redis?.close();
  }
}

function skewed(backend: QueueBackend, minutes: number): Promise<void> {
  return inWorld(backend, async (world) => {
    const people = await crowd(world.db);
    const worker = await world.worker({
      NODE_OPTIONS: `--import=${wrongClock}`,
      CLOCK_SKEW_MS: String(minutes * 60_000),
    });
    const shown = Date.parse(String(worker.lines[0]?.["time"]));
    expect(shown - Date.now(), "its clock is wrong").to.be.closeTo(minutes * 60_000, 120_000);
    await scheduleThousand(world, people, dueIn);
    await expectSent(world.db, people);
  });
}

async function scheduleThousand(
  { db, queues }: World,
  people: Crowd,
  dueIn: number,
): Promise<void> {
  await addDeliveryJobs(queues, await schedule(db, people, { count: messages, dueIn, seconds: 1 }));
}

/** Checks that every message is sent once, and not early. */
async function expectSent(db: Database, people: Crowd, count = messages): Promise<void> {
  await allSent(db, people.realmId, waitTimeoutMs);
  await expectSentOnce(db, people.realmId, count);
}
