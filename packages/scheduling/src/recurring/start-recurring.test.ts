import { recurring, type ProcessName } from "@carillon/jobs";
import { StartupError } from "@carillon/kit";
import { expect } from "chai";

import { tasksOf } from "./start-recurring.ts";

describe("tasksOf", () => {
  const declared = (name: string, ...processes: ProcessName[]) =>
    recurring({
      name,
      about: "Nothing.",
      processes,
      every: "1h",
      leader: "none",
      bound: { batch: 1, batches: 1, of: "row" },
      deadline: "1m",
    });
  const definitions = [
    declared("for-workers", "worker"),
    declared("for-both", "worker", "gateway"),
    declared("for-gateways", "gateway"),
  ] as const;
  const [forWorkers, forBoth, forGateways] = definitions;
  const task = (definition = forBoth) => ({ definition, run: async () => {} });
  const of = (...tasks: Array<ReturnType<typeof task>>) => tasksOf("worker", tasks, definitions);

  it("returns the tasks that are declared for the process", () => {
    const tasks = of(task(forBoth), task(forWorkers));
    expect([...tasks.keys()]).to.have.members(["for-both", "for-workers"]);
  });

  it("refuses a missing, a doubled and an undeclared task", () => {
    expect(() => of(task(forBoth))).to.throw(
      StartupError,
      "the recurring work for-workers has no task in the worker",
    );
    expect(() => of(task(forBoth), task(forWorkers), task(forBoth))).to.throw(
      StartupError,
      "for-both has two",
    );
    expect(() => of(task(forBoth), task(forWorkers), task(forGateways))).to.throw(
      StartupError,
      "not in the list",
    );
  });
});
