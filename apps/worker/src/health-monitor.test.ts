import { expect } from "chai";
import { silentLogger } from "@carillon/kit";
import { allJobs } from "@carillon/jobs";
import {
  checkEveryMs,
  startHealthMonitor,
  type HealthMonitor,
  type HealthReading,
} from "./health-monitor.ts";

const hour = 3_600_000;

describe("the health monitor", () => {
  let monitors: HealthMonitor[];
  let exits: string[];

  beforeEach(() => {
    exits = [];
    monitors = [];
  });
  afterEach(() => monitors.forEach((monitor) => monitor.stop()));

  /** Checks once for each reading; an error in the list is a database that does not answer. */
  async function watch(...readings: Array<HealthReading | Error>): Promise<HealthMonitor> {
    const left = [...readings];
    const watching = startHealthMonitor({
      log: silentLogger,
      intervalMs: hour,
      exit: (why) => exits.push(why),
      probe: async () => {
        const next = left.shift();
        if (!next || next instanceof Error) throw next ?? new Error("nothing left to read");
        return next;
      },
    });
    monitors.push(watching);
    for (const _ of readings) await watching.check();
    return watching;
  }

  const due = (runsAnywhere: number) => ({ dueWork: true, runsAnywhere, queues: [] });
  const idle = (runsAnywhere: number) => ({ dueWork: false, runsAnywhere, queues: [] });
  const queue = (waiting: number, begun: number) => ({
    ...idle(waiting + begun),
    queues: [
      { name: "delivery", waiting, begun },
      { name: "maintenance", waiting: 0, begun: 0 },
    ],
  });

  it("accepts an idle worker", async () => {
    expect((await watch(idle(1), idle(1), idle(1), idle(1))).bad).to.equal(0);
    expect(exits).to.deep.equal([]);
  });

  it("accepts a busy worker", async () => {
    await watch(due(1), due(2), due(3), due(4));
    expect(exits).to.deep.equal([]);
  });

  it("ends the process after two checks in a row with work due and none done", async () => {
    expect((await watch(due(1), due(1))).bad).to.equal(1);
    expect(exits).to.deep.equal([]);
    await watch(due(1), due(1), due(1), due(1));
    expect(exits).to.have.lengthOf(1);
    expect(exits[0]).to.include("work is due");
  });

  it("ends the process when jobs wait and it takes none, even if other workers do", async () => {
    await watch(queue(3, 5), queue(9, 5), queue(1, 5));
    expect(exits).to.have.lengthOf(1);
    expect(exits[0]).to.include("jobs wait in the queue delivery");
  });

  it("ends the process when a queue repeatedly refuses its jobs, not after one refusal", async () => {
    const refusal = "permission denied for table job";
    const refused = { ...idle(1), queues: [{ name: "delivery", waiting: 0, begun: 1, refusal }] };
    await watch(refused, queue(0, 1), refused, queue(0, 1), refused, refused);
    expect(exits).to.deep.equal([]);
    await watch(refused, refused, refused);
    expect(exits).to.have.lengthOf(1);
    expect(exits[0]).to.include("the queue delivery refuses its jobs: permission denied");
  });

  it("accepts a worker that takes jobs, or whose queues are empty", async () => {
    await watch(queue(3, 5), queue(9, 6), queue(9, 6), queue(9, 7), queue(9, 7), queue(0, 7));
    expect(exits).to.deep.equal([]);
  });

  it("checks less often than the longest job may run, so that one long job cannot look like a stuck worker", () => {
    // A run that ignores its deadline keeps its slot for two seconds more.
    for (const { name, deadlineMs } of allJobs)
      expect(deadlineMs + 2_000, name).to.be.below(checkEveryMs);
  });

  it("resets its count when work was done or none was due", async () => {
    await watch(due(1), due(1), due(2), due(2), idle(2), due(2), due(2));
    expect(exits).to.deep.equal([]);
  });

  it("ends the process after two checks without an answer", async () => {
    await watch(idle(1), new Error("gone"), new Error("still gone"));
    expect(exits).to.deep.equal(["the database did not answer: still gone"]);
  });

  it("does not count time without answers as time without work", async () => {
    await watch(due(1), new Error("gone"), due(1), due(2));
    expect(exits).to.deep.equal([]);
  });

  it("counts a probe that never answers as a failed check, and aborts it", async () => {
    let aborted = 0;
    const exited = new Promise<string>((resolve) => {
      const watching = startHealthMonitor({
        log: silentLogger,
        intervalMs: 20,
        exit: resolve,
        probe: (signal) =>
          new Promise(() => {
            signal.addEventListener("abort", () => aborted++);
          }),
      });
      monitors.push(watching);
    });
    expect(await exited).to.include("no answer within 20 ms");
    expect(aborted).to.equal(2);
  });
});
