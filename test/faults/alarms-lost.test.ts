import type { Database } from "@carillon/db";
import { redisCommand, startOwnRedis, type QueueBackend } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, schedule, setAlarms, type Crowd } from "./support/load.ts";
import { allSent, expectSentOnce, pending, repairsCounted } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const messages = 1_000;
/** They are due so many seconds after they were scheduled. */
const dueIn = 5;
/** So late a message may be when its alarm was lost, or rang on a machine whose clock is wrong. */
const promiseMs = 35_000;

const wrongClock = new URL("support/skewed-clock.mjs", import.meta.url).href;

onBothBackends("A thousand pending messages", 120_000, {
  "are sent although their queue is emptied": emptied,
  "are sent in time by a worker whose clock is five minutes ahead": (backend) => skewed(backend, 5),
  "are sent in time by a worker whose clock is five minutes behind": (backend) =>
    skewed(backend, -5),
});

async function emptied(backend: QueueBackend): Promise<void> {
  const redis = backend === "redis" ? await startOwnRedis() : undefined;
  const scenario = async (world: World) => {
    const people = await crowd(world.db);
    await world.worker();
    await scheduleThousand(world, people);
    if (redis) {
      await redisCommand(redis.url, "FLUSHALL");
      await redis.stop("SIGKILL");
      await redis.start();
    } else {
      await world.db.rows("TRUNCATE bullmq.job CASCADE");
    }
    expect(await pending(world.db, people.realmId)).to.equal(messages);
    await expectInTime(world.db, people);
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
    const told = Date.parse(String(worker.lines[0]?.["time"]));
    expect(told - Date.now(), "its clock is wrong").to.be.closeTo(minutes * 60_000, 120_000);
    await scheduleThousand(world, people);
    await expectInTime(world.db, people);
  });
}

async function scheduleThousand({ db, queues }: World, people: Crowd): Promise<void> {
  await setAlarms(queues, await schedule(db, people, { count: messages, dueIn, seconds: 1 }));
}

/** All is sent once, not before its time, and as soon after it as promised. */
async function expectInTime(db: Database, people: Crowd): Promise<void> {
  await allSent(db, people.realmId, dueIn * 1_000 + promiseMs);
  await expectSentOnce(db, people.realmId, messages);
}
