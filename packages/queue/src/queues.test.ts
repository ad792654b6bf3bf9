import { expect } from "chai";
import {
  backoff,
  deliverDue,
  GiveUp,
  InvalidPayload,
  job,
  type JobDefinition,
} from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import * as z from "zod";
import { HandBack } from "./hand-back.ts";
import type { Queues } from "./queues.ts";
import { needServer, openStore, storeKinds, waitUntil, type TestStore } from "@carillon/testkit";
import type { Run, WorkerHandle, WorkerOptions } from "./worker.ts";

const step = job({
  name: "step",
  queue: "maintenance",
  about: "A job of the tests.",
  payload: z.strictObject({ id: z.int() }),
  key: ({ id }) => `step-${id}`,
  retry: backoff({ attempts: 3, first: "10ms", cap: "20ms", jitter: 0 }),
  deadline: "20s",
  keepCompleted: "1h",
});

for (const kind of storeKinds)
  describe(`the queues, on ${kind}`, () => {
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

    function work(definition: JobDefinition, run: WorkerOptions["run"]): WorkerHandle {
      const worker = queues.worker(definition.queue, {
        definitions: [definition],
        log: silentLogger,
        run,
      });
      workers.push(worker);
      return worker;
    }

    async function stateOf(id: string): Promise<string | undefined> {
      return (await queues.queue("maintenance").job(id))?.state;
    }

    it("run published jobs with their payloads", async () => {
      const runs: Run[] = [];
      work(step, async (run) => void runs.push(run));
      await queues.publish([{ job: step, payload: { id: 7 } }]);
      await waitUntil("the run", () => runs.length === 1);
      expect(runs[0]).to.include({ queue: "maintenance", name: "step", id: "step-7", attempt: 1 });
      expect(runs[0]?.data).to.deep.equal({ id: 7 });
      expect(runs[0]?.signal.aborted).to.equal(false);
    });

    it("silently ignore a second job with the same id", async () => {
      await queues.publish([{ job: step, payload: { id: 1 }, delayMs: 60_000 }]);
      const first = await queues.queue("maintenance").job("step-1");
      await queues.publish([{ job: step, payload: { id: 1 }, delayMs: 5 }]);
      await queues.publish(Array.from({ length: 10 }, () => ({ job: step, payload: { id: 1 } })));
      expect(await queues.queue("maintenance").job("step-1")).to.deep.equal(first);
      expect(await queues.queue("maintenance").counts()).to.include({ delayed: 1, waiting: 0 });
    });

    it("accept the id of a delivery job again once it has run", async () => {
      let runs = 0;
      work(deliverDue, async () => void runs++);
      const publication = { job: deliverDue, payload: { realmId: 1, second: 1_700_000_000 } };
      for (const expected of [1, 2]) {
        await queues.publish([publication]);
        await waitUntil("the run", async () => runs === expected && (await idle("delivery")));
      }
      expect(await queues.queue("delivery").counts()).to.include({ completed: 0, failed: 0 });
    });

    it("add thousands of jobs at once, to every queue", async () => {
      const steps = Array.from({ length: 2_500 }, (_, id) => ({ job: step, payload: { id } }));
      await queues.publish([
        ...steps,
        { job: deliverDue, payload: { realmId: 1, second: 1 }, delayMs: 60_000 },
      ]);
      expect((await queues.queue("maintenance").counts()).waiting).to.equal(2_500);
      expect((await queues.queue("delivery").counts()).delayed).to.equal(1);
    });

    it("add nothing when one of several jobs is invalid", async () => {
      const good = { job: step, payload: { id: 1 } };
      for (const bad of [
        { job: step, payload: { id: 1.5 } },
        { job: step, payload: { id: 2 }, id: "a:b" },
      ]) {
        const failure = await queues.publish([good, bad]).catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(Error);
      }
      expect(await queues.queue("maintenance").counts()).to.include({ waiting: 0, delayed: 0 });
    });

    it("run jobs that yield after all others, and count them as waiting", async () => {
      await queues.publish([{ job: step, payload: { id: 1 }, yields: true }]);
      await queues.publish([2, 3].map((id) => ({ job: step, payload: { id } })));
      expect(await queues.queue("maintenance").counts()).to.include({ waiting: 3 });
      const runs: string[] = [];
      const worker = queues.worker("maintenance", {
        definitions: [step],
        log: silentLogger,
        concurrency: 1,
        run: async ({ id }) => void runs.push(id),
      });
      workers.push(worker);
      await waitUntil("the runs", () => runs.length === 3);
      expect(runs.at(-1)).to.equal("step-1");
    });

    it("run jobs that yield by how many of their account were before them, whatever came first", async () => {
      const ofMany = [0, 1, 2].map((behind) => ({
        job: step,
        payload: { id: 1 + behind },
        behind,
      }));
      for (const job of [...ofMany, { job: step, payload: { id: 9 }, behind: 0 }])
        await queues.publish([{ ...job, yields: true }]);
      const runs: string[] = [];
      const worker = queues.worker("maintenance", {
        definitions: [step],
        log: silentLogger,
        concurrency: 1,
        run: async ({ id }) => void runs.push(id),
      });
      workers.push(worker);
      await waitUntil("the runs", () => runs.length === 4);
      expect(runs).to.deep.equal(["step-1", "step-9", "step-2", "step-3"]);
    });

    it("never run a job before its delay, fractional or not, and run one with a negative delay at once", async () => {
      const started = new Map<string, number>();
      work(step, async (run) => void started.set(run.id, Date.now()));
      await queues.publish([{ job: step, payload: { id: 2 }, delayMs: -5.5 }]);
      await waitUntil("the run at once", () => started.has("step-2"));
      const from = Date.now();
      await queues.publish([{ job: step, payload: { id: 1 }, delayMs: 300.4 }]);
      await waitUntil("the later run", () => started.has("step-1"));
      expect(started.get("step-1")).to.be.at.least(from + 301);
    });

    it("retry a failed job, and keep it when its attempts are used up", async () => {
      const attempts: number[] = [];
      const worker = work(step, async (run) => {
        attempts.push(run.attempt);
        throw new Error(`attempt ${run.attempt} went wrong`);
      });
      await queues.publish([{ job: step, payload: { id: 1 } }]);
      await waitUntil("the end", async () => (await stateOf("step-1")) === "failed");
      // The worker counts a failure after the queue has reported it, when others may see it already.
      await waitUntil("the count", () => worker.counters.failed >= 3);
      expect(attempts).to.deep.equal([1, 2, 3]);
      expect(await queues.queue("maintenance").failed(10)).to.have.lengthOf(1);
      expect((await queues.queue("maintenance").failed(10))[0]).to.include({
        id: "step-1",
        attempts: 3,
        failure: "attempt 3 went wrong",
      });
      expect(worker.counters).to.include({ completed: 0, failed: 3 });
    });

    it("do not retry a job that gives up or has an invalid payload", async () => {
      let runs = 0;
      work(step, async (run) => {
        runs++;
        throw run.id === "step-1"
          ? new GiveUp("they refused")
          : new InvalidPayload("it does not fit");
      });
      await queues.publish([1, 2].map((id) => ({ job: step, payload: { id } })));
      await waitUntil(
        "both ends",
        async () => (await queues.queue("maintenance").counts()).failed === 2,
      );
      expect(runs).to.equal(2);
      const failures = (await queues.queue("maintenance").failed(10)).map(({ failure }) => failure);
      expect(failures).to.have.members(["they refused", "it does not fit"]);
    });

    it("put a handed-back job back to waiting, without counting an attempt", async () => {
      const attempts: number[] = [];
      work(step, async (run) => {
        attempts.push(run.attempt);
        if (attempts.length < 3) throw new HandBack("not now");
      });
      await queues.publish([{ job: step, payload: { id: 1 } }]);
      await waitUntil("the end", async () => (await stateOf("step-1")) === "completed");
      expect(attempts).to.deep.equal([1, 1, 1]);
    });

    it("close a worker only when its job has ended, and start no other job", async () => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      let started = 0;
      const worker = queues.worker("maintenance", {
        definitions: [step],
        log: silentLogger,
        concurrency: 1,
        run: async () => {
          started++;
          await released;
        },
      });
      await queues.publish([1, 2].map((id) => ({ job: step, payload: { id } })));
      await waitUntil("the start", () => started === 1);
      let closed = false;
      const closing = worker.close().then(() => (closed = true));
      await queues.queue("maintenance").counts();
      expect(closed).to.equal(false);
      release();
      await closing;
      expect(started).to.equal(1);
      expect(await queues.queue("maintenance").counts()).to.include({
        completed: 1,
        waiting: 1,
        active: 0,
      });
    });

    it("return states, times and absence of jobs", async () => {
      await queues.publish([{ job: step, payload: { id: 1 }, delayMs: 60_000 }]);
      const view = await queues.queue("maintenance").job("step-1");
      expect(view).to.include({ id: "step-1", name: "step", state: "delayed", attempts: 0 });
      expect(view && view.dueAt - view.addedAt).to.equal(60_000);
      expect(await queues.queue("maintenance").job("step-2")).to.equal(undefined);
    });

    it("count completed jobs for the metrics", async () => {
      work(step, async () => undefined);
      await queues.publish([{ job: step, payload: { id: 1 } }]);
      await waitUntil("the run", async () => (await stateOf("step-1")) === "completed");
      const bull = queues.bullQueues().find(({ name }) => name === "maintenance");
      // The total is updated after the state, in a separate statement.
      await waitUntil("the total", async () =>
        /completed_total\{[^}]*\} 1\b/.test((await bull?.exportPrometheusMetrics()) ?? ""),
      );
    });

    async function idle(name: "delivery" | "maintenance"): Promise<boolean> {
      const { waiting, active, delayed } = await queues.queue(name).counts();
      return waiting + active + delayed === 0;
    }
  });
