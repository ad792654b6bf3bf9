import { setTimeout as pause } from "node:timers/promises";
import { lockClass, type Database } from "@carillon/db";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { withChance, type Chance } from "./support/chance.ts";
import { crowd, schedule, addDeliveryJobs } from "./support/load.ts";
import { slowMessages } from "./support/blockers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { expectSentOnce, pending } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const messages = 1_000;
const kills = 10;
/** Additional milliseconds that sending one message takes. */
const sendMs = 4;
/** Shorter than a full batch, so that most kills hit an unfinished one. */
const longestMs = 500;

onBothBackends("A worker killed ten times while a thousand messages fall due", scenarioMs, {
  "is replaced, and each message is sent once": (backend) =>
    inWorld(backend, (world) => withChance((chance) => killAndReplace(world, chance))),
});

async function killAndReplace(world: World, chance: Chance): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  await slowMessages(db, sendMs);
  let worker = await world.worker();
  await addDeliveryJobs(
    queues,
    await schedule(db, people, { count: messages, dueIn: 4, seconds: 4 }),
  );

  let unfinished = 0;
  for (let kill = 0; kill < kills; kill++) {
    await atWork(db, people.realmId);
    await pause(chance.below(longestMs));
    await worker.kill();
    if ((await pending(db, people.realmId)) > 0) unfinished++;
    worker = world.startWorker();
  }
  expect(unfinished, "kills while messages were pending").to.be.greaterThan(kills / 2);

  for (let left = messages; left > 0;) {
    const before = left;
    const fewer = async () => {
      left = await pending(db, people.realmId);
      return left < before;
    };
    await waitFor(fewer, { what: "work goes on", timeoutMs: waitTimeoutMs });
  }
  await expectSentOnce(db, people.realmId, messages);
}

/** Waits until a delivery is in progress, or no message is pending. */
async function atWork(db: Database, realmId: number): Promise<void> {
  const look = async () => {
    const deliverers = await db.rows(
      `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
       WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND granted`,
      [lockClass.deliver, realmId],
    );
    return deliverers.length > 0 || (await pending(db, realmId)) === 0;
  };
  await waitFor(look, { what: "work goes on", timeoutMs: waitTimeoutMs, everyMs: 5 });
}
