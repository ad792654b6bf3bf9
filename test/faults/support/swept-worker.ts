import { waitFor } from "@carillon/testkit";
import { schedule, type Crowd } from "./load.ts";
import { waitTimeoutMs } from "./patience.ts";
import { allSent } from "./verdict.ts";
import type { World } from "./world.ts";

/**
 * Starts a worker, and waits until its first sweep, which counts no repairs, is over. That sweep sends an additional
 * message, which is due before all others and has no delivery job.
 */
export async function sweptWorker(world: World, people: Crowd): Promise<void> {
  const { db, queues } = world;
  await schedule(db, people, { count: 1, dueIn: -120, seconds: 1 });
  await world.worker();
  await allSent(db, people.realmId, waitTimeoutMs);
  // A delivery that is still running would also send the messages that follow.
  const idle = async () => {
    const { active, waiting } = await queues.queue("delivery").counts();
    return active + waiting === 0;
  };
  await waitFor(idle, { what: "the worker has nothing to do" });
}
