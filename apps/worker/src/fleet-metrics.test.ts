import { addToCounter, heartbeatOf } from "@carillon/scheduling";
import { connectDatabase } from "@carillon/db";
import { createRegistry } from "@carillon/kit";
import { organization, scheduledMessage, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { fleetMetrics } from "./fleet-metrics.ts";

describe("metrics of the whole installation, exported by a worker", () => {
  const db = useDatabase();

  const shown = async (sql: Parameters<typeof fleetMetrics>[1]) => {
    const registry = createRegistry("worker");
    await fleetMetrics(registry, sql)();
    const lines = (await registry.metrics())
      .split("\n")
      .filter((line) => line.startsWith("carillon_"));
    return new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
    );
  };

  it("include lag, dead letters and processes, without a dashboard", async () => {
    const { member, owner } = await organization(db);
    const gateway = heartbeatOf("gateway");
    await gateway.beat(db);
    const quiet = await shown(db);
    expect(quiet.get('carillon_store_up{store="database"}')).to.equal(1);
    expect(quiet.get("carillon_due_lag_seconds")).to.equal(0);
    expect(quiet.get("carillon_dead_letters")).to.equal(0);
    expect(quiet.get("carillon_sweep_repairs_total")).to.equal(0);
    expect(quiet.get("carillon_series_repaired_total")).to.equal(0);
    expect(quiet.get('carillon_processes{role="gateway"}')).to.equal(1);
    expect(quiet.get('carillon_processes{role="dashboard"}')).to.equal(0);

    const { id } = await scheduledMessage(db, member, [owner]);
    await db.rows(
      "UPDATE scheduled_messages SET deliver_at = now() - interval '1 minute' WHERE id = $1",
      [id],
    );
    await db.rows(
      `INSERT INTO job_intent (job, unique_key, payload, state, finished_at) VALUES ('x', 'dead', '{}', 'dead', now())`,
    );
    await addToCounter(db, "sweep_repairs", 4);
    await addToCounter(db, "series_repaired", 3);
    const busy = await shown(db);
    expect(busy.get("carillon_due_lag_seconds")).to.be.greaterThan(59);
    expect(busy.get("carillon_dead_letters")).to.equal(1);
    expect(busy.get("carillon_sweep_repairs_total")).to.equal(4);
    expect(busy.get("carillon_series_repaired_total")).to.equal(3);
    await db.rows("UPDATE process_heartbeats SET stopping_since = now()");
    expect((await shown(db)).get('carillon_processes{role="gateway"}')).to.equal(0);
    await gateway.end(db);
  });

  it("are omitted while the database does not answer, and report that", async () => {
    const gone = await connectDatabase(db.url, { max: 1, name: "test" });
    await gone.close();
    const figures = await shown(gone);
    expect(figures.get('carillon_store_up{store="database"}')).to.equal(0);
    expect(
      [...figures.keys()].filter((name) => /due_lag|dead|processes|repairs/.test(name)),
    ).to.deep.equal([]);
  });
});
