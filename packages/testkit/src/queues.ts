import type { Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues, type QueueConfig, type Queues } from "@carillon/queue";
import { later } from "./later.ts";
import { openQueues } from "./open-queues.ts";
import { longTimeouts } from "./long-timeouts.ts";
import { freshRedis } from "./redis.ts";
import { redisUrl } from "./servers.ts";

export type QueueBackend = "postgres" | "redis";

export const queueBackends: readonly QueueBackend[] = ["postgres", "redis"];

/** Defines the same suite for both stores. Without a Redis server, the second one is a pending test. */
export function forEachBackend(title: string, suite: (backend: QueueBackend) => void): void {
  for (const backend of queueBackends) {
    describe(`${title}, on ${backend}`, () => {
      if (backend === "redis" && !redisUrl()) it("needs CARILLON_TEST_REDIS_URL");
      else suite(backend);
    });
  }
}

/** The queues of one suite. */
export interface TestQueues {
  /** Variables for a process that uses the same queues: `databaseUrl`, `redisUrl`. */
  readonly config: QueueConfig;
  /** Connects like another process. Closed by `drop`. */
  connect(overrides?: Partial<QueueConfig>): Promise<Queues>;
  drop(): Promise<void>;
}

/** Creates queues for one suite: in its own database, or in a Redis database. */
export async function createTestQueues(
  backend: QueueBackend,
  databaseUrl: string,
): Promise<TestQueues> {
  const redis = backend === "redis" ? await freshRedis() : undefined;
  const { connectMs } = longTimeouts;
  const config: QueueConfig = {
    databaseUrl,
    redisUrl: redis?.url,
    log: silentLogger,
    connectMs,
  };
  await prepareQueues(config);
  const open = openQueues(config);
  return {
    config,
    connect: open.connect,
    async drop() {
      await open.close();
      await redis?.drop();
    },
  };
}

/** Connected queues for the tests of the enclosing `describe`; call it after `useDatabase`. */
export function useQueues(
  backend: QueueBackend,
  db: Database,
): Queues & Pick<TestQueues, "config" | "connect"> {
  const { value, set } = later<Queues & Pick<TestQueues, "config" | "connect">>("the queues");
  let made: TestQueues | undefined;
  before("connect the queues", async () => {
    const own = await createTestQueues(backend, db.url);
    made = own;
    const queues = await own.connect();
    set({ ...queues, config: own.config, connect: (overrides) => own.connect(overrides) });
  });
  after("drop the queues", async () => {
    set(undefined);
    await made?.drop();
  });
  return value;
}
