import { backoff, job } from "@carillon/jobs";

import {
  captureLog,
  needServer,
  openStore,
  storeKinds,
  waitUntil,
  type StoreKind,
  type TestStore,
} from "@carillon/testkit";
import { expect } from "chai";
import { Redis } from "ioredis";
import pg from "pg";
import * as z from "zod";
import { refusedPauseMs } from "./pause-after-refusal.ts";
import type { Queues } from "./queues.ts";
import type { Run } from "./worker.ts";

const step = job({
  name: "step",
  queue: "maintenance",
  about: "A job of the tests.",
  payload: z.strictObject({ id: z.int() }),
  key: ({ id }) => `step-${id}`,
  retry: backoff({ attempts: 3, first: "10ms", cap: "20ms", jitter: 0 }),
  deadline: "20s",
});

/**
 * Makes every try to take a job fail although the store is available.
 * @returns a function that makes them succeed again
 */
async function refuse(kind: StoreKind, { config }: TestStore): Promise<() => Promise<void>> {
  if (kind === "postgres") {
    const client = new pg.Client(config.databaseUrl);
    await client.connect();
    await client.query("ALTER TABLE bullmq.job RENAME TO job_away");
    return async () => {
      await client.query("ALTER TABLE bullmq.job_away RENAME TO job");
      await client.end();
    };
  }
  const redis = new Redis(config.redisUrl ?? "");
  const key = (name: string) => `${config.redisPrefix}:maintenance:${name}`;
  await redis.rename(key("wait"), key("away"));
  await redis.set(key("wait"), "not a list");
  return async () => {
    await redis.rename(key("away"), key("wait"));
    redis.disconnect();
  };
}

for (const kind of storeKinds)
  describe(`a worker whose store refuses every job, on ${kind}`, () => {
    let store: TestStore;
    let queues: Queues;

    before(function () {
      needServer(kind, this);
    });
    beforeEach(async () => {
      store = await openStore(kind);
      queues = await store.connect();
    });
    afterEach(() => store.drop());

    it("reports the refusal, retries with pauses, and continues when it may", async () => {
      const { log, lines } = captureLog();
      const ran = new Set<unknown>();
      let finish = () => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const run = async ({ data }: Run) => {
        ran.add((data as { id: number }).id);
        await finished;
      };
      const worker = queues.worker("maintenance", {
        definitions: [step],
        log,
        run,
        concurrency: 1,
      });
      await queues.publish([1, 2, 3].map((id) => ({ job: step, payload: { id } })));
      await waitUntil("the first run", () => ran.size === 1);
      const mend = await refuse(kind, store);
      const began = performance.now();
      // It needs no wake-up for the next job: it knows that there is one.
      finish();
      await waitUntil("twelve tries", () => worker.counters.errors >= 12, 60_000);
      // The pauses allow this many tries; other statements of the worker fail now and then, too.
      const pauses = (performance.now() - began) / refusedPauseMs;
      expect(worker.counters.errors).to.be.at.most(6 + 3 * pauses);
      expect(worker.refusal).to.be.a("string");
      const said = lines.filter(({ msg }) => msg === "worker error");
      expect(said.length).to.be.within(1, worker.counters.errors - 1);
      await mend();
      await queues.publish([{ job: step, payload: { id: 4 } }]);
      await waitUntil("its run", () => ran.has(4), 30_000);
      await waitUntil("nothing is refused", () => worker.refusal === undefined, 30_000);
      await worker.close();
    });
  });
