import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { composed } from "./composed.ts";

declare module "@carillon/db" {
  interface StatementRows {
    "test-composed-sum": { sum: number };
  }
}

describe("a composed statement", () => {
  const db = useDatabase();
  const sum = composed({
    name: "test-composed-sum",
    compose: (numbers: readonly number[], recurs: boolean) => ({
      text: `SELECT ${["0", ...numbers.map((_, i) => `$${i + 1}::int`)].join(" + ")} AS sum`,
      values: numbers,
      recurs,
    }),
    examples: (compose) => [compose([1], true)],
  });
  const preparedHere = `SELECT statement FROM pg_prepared_statements WHERE name LIKE 'test-composed-sum%' ORDER BY name`;
  const ones = (count: number) => Array.from({ length: count }, () => 1);

  it("prepares each recurring text once, and no other text", async () => {
    await db.transaction(async (tx) => {
      for (const recurs of [false, true, true]) {
        expect(await sum(tx, [1, 2], recurs)).to.deep.equal([{ sum: 3 }]);
        expect(await sum(tx, [1, 2, 3], recurs)).to.deep.equal([{ sum: 6 }]);
      }
      expect(await tx.rows(preparedHere)).to.deep.equal([
        { statement: "SELECT 0 + $1::int + $2::int AS sum" },
        { statement: "SELECT 0 + $1::int + $2::int + $3::int AS sum" },
      ]);
    });
  });

  it("prepares at most 40 texts", async () => {
    await db.transaction(async (tx) => {
      for (const count of [...Array(60).keys(), ...Array(60).keys()])
        expect(await sum(tx, ones(count), true)).to.deep.equal([{ sum: count }]);
      expect(await tx.rows(preparedHere)).to.have.length(40);
    });
  });
});
