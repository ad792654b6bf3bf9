import type { Database } from "@carillon/db";
import { recurring, type RecurringDefinition } from "@carillon/jobs";
import { captureLog, useDatabase, waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { leads } from "./leader.ts";
import { startTask, type Recurring, type RecurringTask } from "./recurring-task.ts";

const sample = recurring({
  name: "sample",
  about: "Nothing.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 10, batches: 3, of: "rows" },
  deadline: "1h",
});

describe("startTask", () => {
  const db = useDatabase();
  const { log, lines } = captureLog();
  const started: Recurring[] = [];
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
    lines.length = 0;
  });
  const start = (run: RecurringTask["run"], definition: RecurringDefinition = sample) => {
    const one = startTask({ definition, run }, { db, log });
    started.push(one);
    return one;
  };

  it("runs at the start and then at its interval, one run at a time", async () => {
    let runs = 0;
    let atOnce = 0;
    let most = 0;
    start(
      async ({ db: own }) => {
        runs++;
        most = Math.max(most, ++atOnce);
        await own.rows("SELECT 1");
        atOnce--;
      },
      { ...sample, everyMs: 1 },
    );
    expect(runs).to.equal(1);
    await waitFor(() => runs > 5, { what: "it has run again" });
    expect(most).to.equal(1);
  });

  it("joins the run in progress when asked to run", async () => {
    let runs = 0;
    const one = start(async () => void runs++);
    await Promise.all([one.run(), one.run()]);
    expect(runs).to.equal(1);
    await one.run();
    expect(runs).to.equal(2);
  });

  it("logs a failed run and runs again", async () => {
    let runs = 0;
    const one = start(async () => {
      if (++runs === 1) throw new Error("not today");
    });
    await one.run();
    await one.run();
    expect(runs).to.equal(2);
    expect(lines.map(({ msg, task }) => [msg, task])).to.deep.equal([
      ["recurring work failed; it runs again at its interval", "sample"],
    ]);
  });

  it("tells a run whether an earlier one has succeeded", async () => {
    const known: boolean[] = [];
    const one = start(async ({ first }) => {
      if (known.push(first) === 1) throw new Error("not today");
    });
    for (let more = 0; more < 3; more++) await one.run();
    expect(known).to.deep.equal([true, true, false]);
  });

  it("takes batches until the declared number, or until none is left", async () => {
    const sizes: number[] = [];
    let there = 5;
    const one = start(({ batches }) =>
      batches(async (size) => {
        sizes.push(size);
        return --there > 0 ? "more" : "done";
      }),
    );
    await one.run();
    expect(sizes).to.deep.equal([10, 10, 10]);
    await one.run();
    expect(sizes).to.have.length(5);
  });

  it("cancels the statements of a run at its deadline", async () => {
    const one = start(
      async ({ db: own }) => void (await own.transaction((tx) => tx.rows("SELECT pg_sleep(3600)"))),
      { ...sample, deadlineMs: 50 },
    );
    await one.run();
    expect((lines[0]?.err as Error | undefined)?.message).to.contain("sample took longer than 50");
    expect(await sleeping(db)).to.equal(0);
  });

  it("stops between two batches at shutdown, and calls end() once", async () => {
    const order: string[] = [];
    let reached: () => void = () => {};
    const underWay = new Promise<void>((resolve) => (reached = resolve));
    let release: () => void = () => {};
    const one = startTask(
      {
        definition: { ...sample, bound: { ...sample.bound, batches: Number.POSITIVE_INFINITY } },
        run: ({ batches }) =>
          batches(async () => {
            order.push("batch");
            reached();
            await new Promise<void>((resolve) => (release = resolve));
            return "more";
          }),
        end: async () => void order.push("end"),
      },
      { db, log },
    );
    await underWay;
    const stopped = Promise.all([one.stop(), one.stop()]);
    release();
    await stopped;
    await one.run();
    expect(order).to.deep.equal(["batch", "end"]);
  });
});

describe("leads", () => {
  const db = useDatabase();
  const leadsNow = (realmId?: number, definition: RecurringDefinition = sample) =>
    db.transaction((tx) => leads(tx, definition, realmId));

  it("grants one leader at a time, in the installation or in an organization", async () => {
    const perRealm = { ...sample, leader: "one per organization" as const };
    await db.transaction(async (tx) => {
      expect(await leads(tx, sample)).to.equal(true);
      expect(await leads(tx, perRealm, 1)).to.equal(true);
      expect(await leadsNow()).to.equal(false);
      expect(await leadsNow(1, perRealm)).to.equal(false);
      expect(await leadsNow(2, perRealm)).to.equal(true);
      expect(await leadsNow(undefined, { ...sample, name: "other" })).to.equal(true);
    });
    expect(await leadsNow()).to.equal(true);
  });

  it("replaces a frozen leader", async () => {
    let thaw = () => {};
    const frozen = new Promise<void>((resolve) => (thaw = resolve));
    let leading = false;
    const failed = db
      .transaction(async (tx) => {
        leading = await leads(tx, sample);
        // Only here: a transaction of another test may pause for as long on a busy machine.
        await tx.rows("SET LOCAL idle_in_transaction_session_timeout = '1s'");
        await frozen;
      })
      .catch((error: Error) => error);
    await waitFor(() => leading, { what: "the transaction that freezes leads" });
    await waitFor(() => leadsNow(), { what: "another transaction leads" });
    thaw();
    expect(await failed).to.be.an("error");
  });

  it("refuses another kind of leader than is declared", async () => {
    const wrong = [
      leadsNow(1),
      leadsNow(undefined, { ...sample, leader: "one per organization" }),
      leadsNow(undefined, { ...sample, leader: "none" }),
    ];
    for (const one of wrong)
      expect(String(await one.catch((error: unknown) => error))).to.contain(
        "asks for another kind",
      );
  });
});

async function sleeping(db: Database): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'`,
  );
  return row?.n ?? 0;
}
