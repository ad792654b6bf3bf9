import { historyBuckets, historySteps, startTask } from "@carillon/scheduling";
import { silentLogger } from "@carillon/kit";
import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import foldDeliveriesTask from "./fold-deliveries.ts";

describe("the recurring work fold-deliveries", () => {
  const db = useDatabase();
  beforeEach(() => db.rows("TRUNCATE delivery_batches, delivery_history"));

  async function fold(): Promise<void> {
    const folding = startTask(foldDeliveriesTask, { db, log: silentLogger });
    await folding.run();
    await folding.stop();
  }

  /** A batch that ended so many hours ago, and sent messages with these latenesses, in seconds. */
  const batch = (hoursAgo: number, late: readonly number[], failed = 0, backend = "redis") =>
    db.rows(
      `INSERT INTO delivery_batches (backend, ended_at, due_at, failed)
       SELECT $1, ended_at, ARRAY(SELECT extract(epoch FROM ended_at)::float8 - late FROM unnest($3::float8[]) AS late), $4
       FROM (SELECT date_bin('1 hour', now(), timestamptz 'epoch') - make_interval(secs => $2 * 3600.0) + interval '1 second' AS ended_at) e`,
      [backend, hoursAgo, late, failed],
    );

  interface Row {
    readonly step: number;
    readonly backend: string;
    readonly sent: number;
    readonly failed: number;
    readonly worst: number;
    readonly buckets: readonly number[];
  }

  const history = () =>
    db.rows<Row>(
      "SELECT step, backend, sent, failed, round(worst::numeric, 3)::float8 AS worst, buckets FROM delivery_history ORDER BY step, at, backend",
    );

  it("sums the batches of several workers, each once, by step and backend", async () => {
    await batch(0, [0.01, 0.06, 0.06]);
    await batch(0, [0.06, 4.4], 7);
    await batch(0, [700], 0, "postgres");
    await fold();
    await batch(0, [1.2], 1);
    await Promise.all([fold(), fold()]);
    await fold();

    expect(await db.rows("SELECT FROM delivery_batches")).to.deep.equal([]);
    const rows = await history();
    const { fine, coarse } = historySteps;
    expect(
      rows.map(({ step, backend, sent, failed, worst }) => [step, backend, sent, failed, worst]),
    ).to.deep.equal([
      [fine.seconds, "postgres", 1, 0, 700],
      [fine.seconds, "redis", 6, 8, 4.4],
      [coarse.seconds, "postgres", 1, 0, 700],
      [coarse.seconds, "redis", 6, 8, 4.4],
    ]);
    const expected = (counts: Record<number, number>) =>
      Array.from({ length: historyBuckets.length + 1 }, (_, i) => counts[i] ?? 0);
    const place = (bound: number) => historyBuckets.findIndex((each) => each === bound);
    expect(rows[1]?.buckets).to.deep.equal(
      expected({ [place(0.05)]: 1, [place(0.1)]: 3, [place(1.5)]: 1, [place(5)]: 1 }),
    );
    expect(rows[0]?.buckets).to.deep.equal(expected({ [historyBuckets.length]: 1 }));
    expect(rows[3]?.buckets).to.deep.equal(rows[1]?.buckets);
  });

  it("counts messages sent before their time as on time, and failures without a message", async () => {
    await batch(0, [-3]);
    await batch(0, [], 4);
    await fold();
    const [row] = await history();
    expect(row).to.deep.include({ sent: 1, failed: 4, worst: 0 });
    expect(row?.buckets[0]).to.equal(1);
  });

  it("keeps a bounded number of rows", async () => {
    await db.rows(
      `INSERT INTO delivery_batches (backend, ended_at, due_at, failed)
       SELECT CASE n % 2 WHEN 0 THEN 'redis' ELSE 'postgres' END, now() - n * interval '5 minutes',
         ARRAY[extract(epoch FROM now() - n * interval '5 minutes')::float8], 0
       FROM generate_series(0, 40 * 288) n, generate_series(1, 2)`,
    );
    await fold();
    expect(await db.rows("SELECT FROM delivery_batches")).to.deep.equal([]);
    const rows = await history();
    const { fine, coarse } = historySteps;
    const bound = (step: typeof fine | typeof coarse) =>
      (step.keptHours * 3_600) / step.seconds + 1;
    expect(rows.filter(({ step }) => step === fine.seconds).length).to.be.within(290, bound(fine));
    expect(rows.filter(({ step }) => step === coarse.seconds).length).to.be.within(
      1_480,
      2 * bound(coarse),
    );
  });
});
