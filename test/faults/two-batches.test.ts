import { holdUp, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, schedule, addDeliveryJobs, type Crowd } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { allSent, expectSentOnce, pending } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

/** More than two batches. */
const messages = 1_200;
/** The first has 100 rows and the second 200, when a delivery job begins the delivery. */
const twoBatches = 300;

onBothBackends("A worker that writes one batch and has prepared the next", scenarioMs, {
  "leaves nothing half done when it is killed": (backend) =>
    inWorld(backend, async (world) => {
      const { people, worker, goOn } = await inTheMiddle(world);
      await worker.kill();
      await goOn();
      await deliveredByAnother(world, people);
    }),
  "blocks other workers no longer than its connections live when it freezes": (backend) =>
    inWorld(backend, async (world) => {
      const { people, worker, goOn } = await inTheMiddle(world);
      worker.signal("SIGSTOP");
      await goOn();
      await deliveredByAnother(world, people);
      worker.signal("SIGCONT");
      await waitFor(async () => (await openTransactions(world)) === 0, {
        what: "it has let go of what it prepared",
        timeoutMs: waitTimeoutMs,
      });
      await expectSentOnce(world.db, people.realmId, messages);
    }),
  "ends in time on SIGTERM, with both batches": (backend) =>
    inWorld(backend, async (world) => {
      const { people, worker, goOn } = await inTheMiddle(world);
      worker.signal("SIGTERM");
      await goOn();
      await worker.exit;
      expect(await pending(world.db, people.realmId)).to.be.below(messages);
      await deliveredByAnother(world, people);
    }),
});

/** Starts a worker whose first batch waits for a lock while its second batch has been claimed. */
async function inTheMiddle(world: World) {
  const { db, queues } = world;
  const people = await crowd(db);
  const held = await holdUp(db, "INSERT ON messages");
  const worker = await world.worker();
  // Due after the delivery at the start of the worker, which counts attempts and prepares no second batch.
  const load = { count: messages, dueIn: 3, seconds: 1, noReminders: true };
  await addDeliveryJobs(queues, await schedule(db, people, load));
  const inBoth = async () => (await held.waiting()) === 1 && (await locked(world)) === twoBatches;
  await waitFor(inBoth, { what: "one is written and one is prepared", timeoutMs: waitTimeoutMs });
  return { people, worker, goOn: () => held.release() };
}

async function deliveredByAnother(world: World, people: Crowd): Promise<void> {
  await world.worker();
  await allSent(world.db, people.realmId, waitTimeoutMs);
  await expectSentOnce(world.db, people.realmId, messages);
}

/** Returns how many pending rows are locked. */
async function locked({ db }: World): Promise<number> {
  const [found] = await db.rows<{ n: number }>(
    `SELECT (SELECT count(*) FROM scheduled_messages WHERE NOT delivered AND NOT failed)::int
       - (SELECT count(*) FROM (SELECT FROM scheduled_messages WHERE NOT delivered AND NOT failed
          FOR NO KEY UPDATE SKIP LOCKED) free)::int AS n`,
  );
  return found?.n ?? 0;
}

async function openTransactions({ db }: World): Promise<number> {
  const [found] = await db.rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  return found?.n ?? 0;
}
