import { waitFor, type Variables } from "@carillon/testkit";
import { gate, type GatedChanges } from "./blockers.ts";
import { waitTimeoutMs } from "./patience.ts";
import type { World } from "./world.ts";

/** A point in a transaction of a worker: a statement, and which of its changes, as for `gate`. */
export interface Point extends GatedChanges {
  readonly statement: string;
  /** The server still commits the transaction, but the worker does not learn of it. */
  readonly commits?: boolean;
}

export interface KillOptions {
  /** Workers, which work and die together: their queues run a few jobs at once each. */
  readonly workers?: number;
  /** Added to their environment. */
  readonly variables?: Variables;
  /** What must happen before they are killed, too; called when they have started. */
  readonly meanwhile?: () => Promise<void>;
}

/**
 * Starts workers, and kills them with SIGKILL when a transaction waits at each of the points. The server ends these
 * transactions as it does when it notices that their client is gone.
 */
export async function killWorkersAt(
  world: World,
  points: readonly Point[],
  { workers = 1, variables, meanwhile }: KillOptions = {},
): Promise<void> {
  const { db } = world;
  const gates = await Promise.all(
    points.map(async (point) => ({
      ...point,
      blocked: await gate(db, point.statement, point),
    })),
  );
  const started = Array.from({ length: workers }, () => world.startWorker(variables));
  let passed = 0;
  const expectWaiting = async ({ statement, blocked }: (typeof gates)[number]) => {
    if ((await blocked.waiting()) === 0) throw new Error(`none waits at ${statement}`);
  };
  const reached = async () => {
    // On a busy machine, a job may leave its gate at its deadline before the last job has reached a gate.
    for (const one of gates.slice(passed)) {
      await expectWaiting(one);
      passed++;
    }
    // If a transaction has left its gate, its COMMIT would not be tested.
    for (const one of gates) if (one.commits) await expectWaiting(one);
    return true;
  };
  await Promise.all(started.map((worker) => worker.waitForLine("worker started")));
  await Promise.all([
    waitFor(reached, { what: "a transaction waits at each point", timeoutMs: waitTimeoutMs }),
    meanwhile?.(),
  ]);
  // A stopped process cannot answer to a COMMIT.
  for (const worker of started) worker.signal("SIGSTOP");
  for (const { blocked } of gates.filter(({ commits }) => commits)) await blocked.finish();
  await Promise.all(started.map((worker) => worker.kill()));
  for (const { blocked } of gates.filter(({ commits }) => !commits)) await blocked.drop();
}
