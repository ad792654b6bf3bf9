import { backoff, job, limitOf } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { needServer, openStore, storeKinds, waitUntil, type TestStore } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { HandBack } from "./hand-back.ts";
import type { Queues } from "./queues.ts";
import type { WorkerHandle, WorkerOptions } from "./worker.ts";

const call = job({
  name: "call",
  queue: "bouncer",
  about: "A job of the tests.",
  payload: z.strictObject({ id: z.int() }),
  key: ({ id }) => `call-${id}`,
  retry: backoff({ attempts: 3, first: "10ms", cap: "20ms", jitter: 0 }),
  deadline: "20s",
  keepCompleted: "1h",
});

for (const kind of storeKinds)
  describe(`the rate-limited queue of the bouncer, on ${kind}`, () => {
    let store: TestStore;
    let queues: Queues;
    let workers: WorkerHandle[];

    before(function () {
      needServer(kind, this);
    });
    beforeEach(async () => {
      store = await openStore(kind);
      queues = await store.connect();
      workers = [];
    });
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await store.drop();
    });

    function work(
      run: WorkerOptions["run"],
      of = queues,
      limit?: WorkerOptions["limit"],
    ): WorkerHandle {
      const options = { definitions: [call], log: silentLogger, run };
      const worker = of.worker("bouncer", { ...options, ...(limit && { limit }) });
      workers.push(worker);
      return worker;
    }
    const publish = (count: number) =>
      queues.publish(Array.from({ length: count }, (_, id) => ({ job: call, payload: { id } })));
    const queue = () => queues.queue("bouncer");

    it("starts no more jobs than its limit in all workers together", async () => {
      const jobs = 20;
      const limit = { jobs, withinMs: 3_600_000 };
      const others = await store.connect();
      const begun = () => workers.reduce((sum, worker) => sum + worker.begun, 0);
      await publish(jobs + 5);
      work(async () => {}, queues, limit);
      work(async () => {}, others, limit);
      const bull = queues.bullQueues().find(({ name }) => name === "bouncer");
      await waitUntil("the limit", async () => Number(await bull?.getRateLimitTtl(jobs)) > 0);
      await waitUntil("the end of the runs", async () => (await queue().counts()).active === 0);
      expect(begun()).to.equal(jobs);
      expect((await queue().counts()).waiting).to.equal(5);
    });

    it("is paused for every worker, without counting an attempt of the job that paused it", async () => {
      const attempts: number[] = [];
      let isOverloaded = true;
      const run: WorkerOptions["run"] = async (given) => {
        attempts.push(given.attempt);
        if (!isOverloaded) return;
        await queues.pauseFor("bouncer", 3_600_000);
        throw new HandBack("the bouncer is overloaded");
      };
      work(run);
      await publish(1);
      await waitUntil("the pause", async () => (await queue().pausedForMs()) > 0);
      await waitUntil("the job to wait", async () => (await queue().counts()).waiting === 1);
      work(run, await store.connect());
      await queues.publish([{ job: call, payload: { id: 7 } }]);
      expect(await queue().pausedForMs()).to.be.within(1, 3_600_000);
      expect((await queue().counts()).waiting).to.equal(2);
      // A worker that was already taking a job when the pause began may have run it once more.
      const begun = attempts.length;
      expect(begun).to.be.at.most(2);
      isOverloaded = false;
      await queues.pauseFor("bouncer", 1);
      // The first worker sleeps as long as it was told; a new worker checks for itself.
      work(run, await store.connect());
      await waitUntil("the end of both jobs", async () => (await queue().counts()).completed === 2);
      expect(attempts).to.deep.equal(Array(begun + 2).fill(1));
    });

    it("starts at most 1,000 jobs a minute", () => {
      expect(limitOf("bouncer")).to.deep.equal({ jobs: 1_000, withinMs: 60_000 });
    });

    it("is the only queue that can be paused", async () => {
      const refusal = await queues.pauseFor("delivery", 10).catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(RangeError);
      expect(await queues.queue("delivery").pausedForMs()).to.equal(0);
      expect(await queue().pausedForMs()).to.equal(0);
    });
  });
