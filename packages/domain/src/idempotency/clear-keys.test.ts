import type { DeletedRows } from "@carillon/db";
import { countQueries, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { clearExpiredKeys } from "./clear-keys.ts";

interface PlanNode {
  readonly "Subplan Name"?: string;
  readonly "Index Name"?: string;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

describe("clearExpiredKeys", () => {
  const db = useDatabase();
  let accountId: number;
  before(async () => {
    accountId = (await organization(db)).member.id;
  });
  beforeEach(() => db.rows("TRUNCATE idempotency_keys"));

  /** Writes keys, a millisecond apart, the youngest of the age. */
  const write = (age: string, count: number) =>
    db.rows(
      `INSERT INTO idempotency_keys (id, account_id, fingerprint, answer, created_at)
       SELECT gen_random_uuid(), $1, '\\x00', '{}', now() - $2::interval - n * interval '1 ms'
       FROM generate_series($3::int - 1, 0, -1) n`,
      [accountId, age, count],
    );
  const left = async () => (await db.rows("SELECT FROM idempotency_keys")).length;

  it("deletes a batch at a time, oldest first, and continues where the last one ended", async () => {
    await write("24 hours", 7);
    await write("23 hours 59 minutes", 3);
    const first = await clearExpiredKeys(db, 5);
    expect(first.count).to.equal(5);
    const [older] = await db.rows(
      "SELECT count(*)::int AS count FROM idempotency_keys WHERE created_at <= $1::timestamptz",
      [first.last],
    );
    expect(older).to.deep.equal({ count: 0 });
    expect((await clearExpiredKeys(db, 5, first)).count).to.equal(2);
    expect((await clearExpiredKeys(db, 5)).count).to.equal(0);
    expect(await left()).to.equal(3);
  });

  it("skips a row that a request is replacing", async () => {
    await write("24 hours", 2);
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM idempotency_keys ORDER BY created_at LIMIT 1 FOR UPDATE");
      expect((await clearExpiredKeys(db, 5)).count).to.equal(1);
    });
    expect(await left()).to.equal(1);
  });

  it("reads no more for the last batch of many expired keys than for the first", async () => {
    const [size, batches] = [5_000, 20];
    await write("24 hours", size * batches);
    await write("1 hour", size);
    await db.rows("ANALYZE idempotency_keys");
    const { statements, result: first } = await countQueries(db, () => clearExpiredKeys(db, size));
    /** Counts the blocks that are read to find the batch behind another one. */
    const blocksBehind = async ({ last }: DeletedRows) => {
      const [plan] = await db.rows<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ${statements[0]}`,
        [last, size],
      );
      const scan = scanOf(plan?.["QUERY PLAN"][0].Plan.Plans ?? []);
      expect(scan?.["Index Name"]).to.equal("idempotency_keys_created_at_idx");
      return (scan?.["Shared Hit Blocks"] ?? 0) + (scan?.["Shared Read Blocks"] ?? 0);
    };
    const early = await blocksBehind(first);
    let before = first;
    for (let done = 3; done < batches - 1; done++)
      before = await clearExpiredKeys(db, size, before);
    const late = await blocksBehind(before);
    expect(late).to.be.below(early * 2);
    expect(early).to.be.below(size / 10);
    expect(await left(), "the last expired batch and the young keys").to.equal(size * 2);
  });
});

function scanOf(nodes: readonly PlanNode[]): PlanNode | undefined {
  for (const node of nodes) {
    if (node["Index Name"] === "idempotency_keys_created_at_idx") return node;
    const below = scanOf(node.Plans ?? []);
    if (below) return below;
  }
  return undefined;
}
