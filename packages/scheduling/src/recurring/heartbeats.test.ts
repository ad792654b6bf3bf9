import { allRecurring } from "@carillon/jobs";
import { Shutdown, silentLogger } from "@carillon/kit";
import { useDatabase, waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { addToCounter, readCounters } from "../figures/counters.ts";
import { heartbeatOf, runsOlderProcess } from "./heartbeats.ts";
import { startTask } from "./recurring-task.ts";
import { startRecurring } from "./start-recurring.ts";

describe("heartbeats", () => {
  const db = useDatabase();
  const row = async (id: string) =>
    (
      await db.rows<{ role: string; pid: number; counters: object; late: boolean; early: boolean }>(
        `SELECT role, pid, counters, last_seen < now() - interval '1 minute' AS late,
           started_at < last_seen AS early
         FROM process_heartbeats WHERE process_id = $1`,
        [id],
      )
    )[0];

  it("contain a process and its counters until it ends", async () => {
    let done = 0;
    const own = heartbeatOf("worker", () => ({ done }));
    const beating = startTask(own, { db, log: silentLogger });
    await beating.run();
    expect(await row(own.processId)).to.include({ role: "worker", pid: process.pid, early: true });
    done = 7;
    await beating.run();
    expect((await row(own.processId))?.counters).to.deep.equal({ done: 7 });
    await beating.stop();
    await beating.run();
    expect(await row(own.processId)).to.equal(undefined);
  });

  it("name what the build knows, so that a process of an earlier release is found while it runs", async () => {
    const own = heartbeatOf("worker");
    await own.beat(db);
    expect(await runsOlderProcess(db, "conditions")).to.equal(false);
    const [older] = await db.rows<{ id: string }>(
      `INSERT INTO process_heartbeats (process_id, role, host, pid)
       VALUES (gen_random_uuid(), 'dashboard', 'old', 1) RETURNING process_id AS id`,
    );
    expect(await runsOlderProcess(db, "conditions"), "a dashboard").to.equal(false);
    for (const role of ["gateway", "worker"]) {
      await db.rows("UPDATE process_heartbeats SET role = $2 WHERE process_id = $1", [
        older?.id,
        role,
      ]);
      expect(await runsOlderProcess(db, "conditions"), role).to.equal(true);
    }
    await db.rows(
      "UPDATE process_heartbeats SET last_seen = now() - interval '61 seconds' WHERE process_id = $1",
      [older?.id],
    );
    expect(await runsOlderProcess(db, "conditions"), "one that has crashed").to.equal(false);
    await own.end(db);
    await db.rows("DELETE FROM process_heartbeats WHERE process_id = $1", [older?.id]);
  });

  it("measure how far the clock of a process is ahead of the database's, from the second beat on", async () => {
    const own = heartbeatOf("worker");
    const ahead = async () =>
      (
        await db.rows<{ ahead: number | null }>(
          "SELECT clock_ahead AS ahead FROM process_heartbeats WHERE process_id = $1",
          [own.processId],
        )
      )[0]?.ahead;
    const now = Date.now;
    try {
      Date.now = () => now() + 3_600_000;
      await own.beat(db);
      expect(await ahead()).to.equal(null);
      await own.beat(db);
      // Both clocks are this machine's; a beat may take some time.
      expect(await ahead()).to.be.within(3_540, 3_660);
    } finally {
      Date.now = now;
      await own.end(db);
    }
  });

  it("mark a process as stopping, even if its shutdown is cut off before the row is deleted", async () => {
    const shutdown = new Shutdown(silentLogger, 2_000);
    const tasks = allRecurring
      .filter(({ name, processes }) => name !== "heartbeat" && processes.includes("dashboard"))
      .map((definition) => ({ definition, run: async () => {} }));
    startRecurring({ process: "dashboard", tasks }, { db, log: silentLogger }, shutdown, {
      first: 0,
      last: 2,
    });
    const rows = () =>
      db.rows<{ stopping: boolean }>(
        "SELECT stopping_since IS NOT NULL AS stopping FROM process_heartbeats WHERE role = 'dashboard'",
      );
    await waitFor(async () => (await rows()).length > 0 || undefined, { what: "the first beat" });
    expect(await rows()).to.deep.equal([{ stopping: false }]);
    let end = () => {};
    shutdown.add(1, "hangs", () => new Promise<void>((resolve) => (end = resolve)));
    await shutdown.run();
    // On a busy machine, the shutdown does not wait until the row says so.
    await waitFor(async () => (await rows()).at(0)?.stopping, { what: "it is marked" });
    end();
    await waitFor(async () => (await rows()).length === 0 || undefined, { what: "its end" });
  });

  it("delete rows of processes that crashed an hour ago, and return after a long sleep", async () => {
    const own = heartbeatOf("gateway");
    await own.beat(db);
    await db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, last_seen) VALUES
         (gen_random_uuid(), 'worker', 'gone', 1, now() - interval '61 minutes'),
         (gen_random_uuid(), 'worker', 'late', 2, now() - interval '59 minutes')`,
    );
    await db.rows(
      "UPDATE process_heartbeats SET last_seen = now() - interval '2 hours' WHERE process_id = $1",
      [own.processId],
    );
    await own.beat(db);
    expect(await row(own.processId)).to.include({ late: false });
    const hosts = await db.rows<{ host: string }>(
      "SELECT host FROM process_heartbeats WHERE role = 'worker'",
    );
    expect(hosts).to.deep.equal([{ host: "late" }]);
    await own.end(db);
  });
});

describe("addToCounter", () => {
  const db = useDatabase();

  it("sums what several transactions add, and only what is committed", async () => {
    expect(await readCounters(db)).to.deep.equal(new Map());
    await Promise.all(Array.from({ length: 20 }, () => addToCounter(db, "sweep_repairs", 3)));
    await addToCounter(db, "stalled");
    await db
      .transaction(async (tx) => {
        await addToCounter(tx, "stalled", 5);
        throw new Error("no");
      })
      .catch(() => undefined);
    expect(await readCounters(db)).to.deep.equal(
      new Map([
        ["stalled", 1],
        ["sweep_repairs", 60],
      ]),
    );
  });
});
