import { clearIntents } from "@carillon/jobs";
import { countQueries, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { clearDoneIntents } from "./clear-intents.ts";

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly Plan[];
}

describe("clearDoneIntents", () => {
  const db = useDatabase();
  const { batch } = clearIntents.bound;
  beforeEach(() => db.rows("TRUNCATE job_intent"));

  const write = (key: string, state: string, finishedAgo: string | null, count = 1) =>
    db.rows(
      `INSERT INTO job_intent (job, unique_key, payload, state, created_at, run_at, finished_at)
       SELECT 'x', $1 || n, '{}', $2, now() - interval '3 days', now() - interval '3 days',
         now() - $3::interval - n * interval '1 ms' FROM generate_series(1, $4::int) n`,
      [key, state, finishedAgo, count],
    );
  const left = async () => {
    const rows = await db.rows<{ key: string }>(
      "SELECT unique_key AS key FROM job_intent ORDER BY key",
    );
    return rows.map(({ key }) => key);
  };

  it("deletes intents done more than a day ago, never dead or pending ones", async () => {
    await write("old", "done", "25 hours");
    await write("young", "done", "23 hours");
    await write("dead", "dead", "2 days");
    await write("pending", "pending", null);
    expect((await clearDoneIntents(db, batch)).count).to.equal(1);
    expect(await left()).to.deep.equal(["dead1", "pending1", "young1"]);
    expect((await clearDoneIntents(db, batch)).count).to.equal(0);
  });

  it("deletes a batch at a time, oldest first, and continues where the last one ended", async () => {
    await write("old", "done", "25 hours", batch + 5);
    const first = await clearDoneIntents(db, batch);
    expect(first.count).to.equal(batch);
    expect((await left()).length).to.equal(5);
    const [remaining] = await db.rows<{ older: boolean }>(
      "SELECT bool_or(finished_at < $1::timestamptz) AS older FROM job_intent",
      [first.last],
    );
    expect(remaining).to.deep.equal({ older: false });
    // Earlier rows are left to the next run.
    await write("older", "done", "2 days");
    expect((await clearDoneIntents(db, batch, first)).count).to.equal(5);
    expect(await left()).to.deep.equal(["older1"]);
  });

  it("skips a locked row", async () => {
    await write("old", "done", "25 hours", 2);
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM job_intent WHERE unique_key = 'old1' FOR UPDATE");
      expect((await clearDoneIntents(db, batch)).count).to.equal(1);
    });
    expect(await left()).to.deep.equal(["old1"]);
  });

  it("uses the index of done intents and the primary key, never a sequential scan", async () => {
    await write("old", "done", "25 hours", 20_000);
    await write("young", "done", "1 hour", 20_000);
    await db.rows("ANALYZE job_intent");
    const { statements } = await countQueries(db, () => clearDoneIntents(db, batch));
    const rolledBack = new Error("rolled back");
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      let plan: { "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> } | undefined;
      const explain = db.transaction(async (tx) => {
        await tx.rows(`SET LOCAL plan_cache_mode = ${mode}`);
        await tx.rows(`PREPARE clearing (timestamptz, int) AS ${statements[0]}`);
        plan = await tx.first(`EXPLAIN (FORMAT json) EXECUTE clearing ('-infinity', ${batch})`);
        await tx.rows("DEALLOCATE clearing");
        throw rolledBack;
      });
      expect(await explain.catch((error: unknown) => error)).to.equal(rolledBack);
      const nodes = flat(plan?.["QUERY PLAN"][0]?.Plan);
      expect(nodes.map((node) => node["Node Type"])).not.to.contain("Seq Scan");
      expect(nodes.flatMap((node) => node["Index Name"] ?? [])).to.have.members([
        "job_intent_done_idx",
        "job_intent_pkey",
      ]);
    }
  });
});

function flat(plan: Plan | undefined): Plan[] {
  return plan ? [plan, ...(plan.Plans ?? []).flatMap(flat)] : [];
}
