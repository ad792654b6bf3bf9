import { expect } from "chai";
import { allJobs, backoff, job, type JobDefinition } from "@carillon/jobs";
import { silentLogger, StartupError } from "@carillon/kit";
import type { Queues } from "@carillon/queue";
import * as z from "zod";
import {
  needServer,
  openStore,
  storeKinds,
  keepingMailer,
  testFiles,
  testOutgoing,
  testSite,
  waitUntil,
  type TestStore,
} from "@carillon/testkit";
import {
  completeProcessors,
  loadProcessors,
  processor,
  type AnyProcessor,
  type JobContext,
} from "./processor.ts";
import { startRunner, type Runner } from "./runner.ts";

type Step = { id: number };

function declare(name: string, queue: "delivery" | "maintenance", deadline: "20s" | "50ms") {
  return job({
    name,
    queue,
    about: "A job of the tests.",
    payload: z.strictObject({ id: z.int() }),
    key: ({ id }) => `${name}-${id}`,
    retry: backoff({ attempts: 2, first: "10ms", cap: "20ms", jitter: 0 }),
    deadline,
    keepCompleted: "1h",
  });
}

const step = declare("step", "maintenance", "20s");
const hasty = declare("hasty", "delivery", "50ms");
const nothing = async () => undefined;

/** Ends only when it is told to stop, the way a job that passes its signal on does. */
function untilStopped({ signal }: JobContext<Step>): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped in the middle")));
  });
}

describe("definitions and processors", () => {
  it("match one to one", () => {
    const matched = completeProcessors(
      [step, hasty],
      [processor(hasty, nothing), processor(step, nothing)],
    );
    expect([...matched.keys()]).to.have.members(["step", "hasty"]);
  });

  it("are complete in the folder of the jobs", async () => {
    completeProcessors(allJobs, await loadProcessors());
  });

  it("are rejected when one is missing, duplicate or unknown", () => {
    const one = processor(step, nothing);
    expect(() => completeProcessors([step], [])).to.throw(StartupError, "step has no processor");
    expect(() => completeProcessors([step], [one, one])).to.throw(
      StartupError,
      "step has two processors",
    );
    expect(() => completeProcessors([], [one])).to.throw(
      StartupError,
      "step, which is not in the list",
    );
  });
});

for (const kind of storeKinds)
  describe(`the runner, on ${kind}`, () => {
    let store: TestStore;
    let queues: Queues;
    let runners: Runner[];

    before(function () {
      needServer(kind, this);
    });
    beforeEach(async () => {
      store = await openStore(kind);
      queues = await store.connect();
      runners = [];
    });
    afterEach(async () => {
      await Promise.all(runners.map((runner) => runner.close(0)));
      await store.drop();
    });

    function start(...processors: AnyProcessor[]): Runner {
      const definitions: JobDefinition[] = processors.map(({ definition }) => definition);
      const services = {
        db: undefined as never,
        queues,
        site: testSite(),
        mailer: keepingMailer(),
        files: testFiles(),
        outgoing: testOutgoing(),
        log: silentLogger,
      };
      const runner = startRunner({ definitions, processors, services });
      runners.push(runner);
      return runner;
    }

    it("gives a processor its checked payload", async () => {
      const seen: Step[] = [];
      const runner = start(processor(step, async ({ payload }) => void seen.push(payload)));
      await queues.publish([{ job: step, payload: { id: 1 } }]);
      await waitUntil("the run", () => runner.counters().completed === 1);
      expect(seen).to.deep.equal([{ id: 1 }]);
      expect(runner.counters()).to.deep.equal({
        active: 0,
        completed: 1,
        failed: 0,
        stalled: 0,
        errors: 0,
      });
    });

    it("fails an invalid payload permanently without running the job", async () => {
      let runs = 0;
      const runner = start(processor(step, async () => void runs++));
      const other = { ...step, payload: z.unknown() } as JobDefinition;
      await queues.publish([{ job: other, payload: { id: "one" }, id: "step-odd" }]);
      await waitUntil("the failure", () => runner.counters().failed === 1);
      expect((await queues.queue("maintenance").job("step-odd"))?.failure).to.match(/^step: id: /);
      expect(runs).to.equal(0);
    });

    it("leaves the job of a newer release for the workers that know it", async () => {
      const runner = start(processor(step, nothing));
      await queues.publish([{ job: { ...step, name: "newer" }, payload: { id: 1 } }]);
      await waitUntil("the attempt", () => runner.counters().failed === 1);
      expect(await queues.queue("maintenance").job("step-1")).to.include({
        state: "delayed",
        attempts: 1,
      });
    });

    it("stops a job at its deadline and retries it", async () => {
      const attempts: number[] = [];
      const runner = start(
        processor(hasty, async (context) => {
          attempts.push(context.attempt);
          await untilStopped(context);
        }),
      );
      await queues.publish([{ job: hasty, payload: { id: 1 } }]);
      await waitUntil("both failures", () => runner.counters().failed === 2);
      expect(attempts).to.deep.equal([1, 2]);
      expect((await queues.queue("delivery").job("hasty-1"))?.failure).to.equal(
        "it took longer than 50 ms",
      );
    });

    it("abandons a job that ignores its deadline, and retries it", async () => {
      let runs = 0;
      const runner = start(
        processor(hasty, async () => {
          runs++;
          if (runs === 1) await new Promise(() => undefined);
        }),
      );
      await queues.publish([{ job: hasty, payload: { id: 1 } }]);
      await waitUntil("the second run", () => runner.counters().completed === 1);
      expect(runs).to.equal(2);
      expect(runner.counters()).to.include({ active: 0, failed: 1 });
    });

    it("waits for running jobs when it closes, and starts none", async () => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const runner = start(processor(step, () => released));
      await queues.publish([1, 2, 3].map((id) => ({ job: step, payload: { id } })));
      await waitUntil("the start", () => runner.counters().active === 2);
      const closing = runner.close(10_000);
      release();
      await closing;
      const counts = await queues.queue("maintenance").counts();
      expect(counts).to.include({ completed: 2, waiting: 1, active: 0 });
    });

    it("hands back jobs that do not end in time, without counting an attempt", async () => {
      const runner = start(processor(step, untilStopped));
      await queues.publish([{ job: step, payload: { id: 1 } }]);
      await waitUntil("the start", () => runner.counters().active === 1);
      await runner.close(1);
      expect(await queues.queue("maintenance").job("step-1")).to.include({
        state: "waiting",
        attempts: 0,
      });

      let attempt = 0;
      const next = start(processor(step, async (context) => void (attempt = context.attempt)));
      await waitUntil("the run elsewhere", () => next.counters().completed === 1);
      expect(attempt).to.equal(1);
    });

    it("hands back jobs that ignore their signal, and closes", async () => {
      const runner = start(processor(step, () => new Promise(() => undefined)));
      await queues.publish([{ job: step, payload: { id: 1 } }]);
      await waitUntil("the start", () => runner.counters().active === 1);
      await runner.close(1);
      expect(await queues.queue("maintenance").job("step-1")).to.include({
        state: "waiting",
        attempts: 0,
      });
    });
  });
