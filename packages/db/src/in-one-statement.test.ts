import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { inOneStatement } from "./in-one-statement.ts";
import type { Sql } from "./sql.ts";

describe("inOneStatement", () => {
  const db = useDatabase();

  /** Counts what reaches the database. */
  function counted(): { sql: Sql; texts: string[] } {
    const texts: string[] = [];
    const rows: Sql["rows"] = (statement, values) => {
      texts.push(typeof statement === "string" ? statement : statement.text);
      return db.rows(statement, values);
    };
    return { sql: { rows }, texts };
  }

  it("sends one statement and keeps the values, rows and order of each part", async () => {
    const { sql, texts } = counted();
    const twice = {
      name: "in-one-statement-test",
      text: "SELECT $2::int AS b, $1::text AS a, $2::int + 1 AS c",
    };
    const [first, second, none, list] = await inOneStatement(sql, (one) =>
      Promise.all([
        one.rows(twice, ["x", 1]),
        one.rows(twice, ["$1", 2]),
        one.rows("SELECT 1 AS n WHERE false"),
        one.rows<{ n: number }>("SELECT n FROM unnest($1::int[]) AS n ORDER BY n DESC", [
          [1, 3, 2],
        ]),
      ]),
    );
    expect(texts).to.have.length(1);
    expect(first).to.deep.equal([{ a: "x", b: 1, c: 2 }]);
    expect(second).to.deep.equal([{ a: "$1", b: 2, c: 3 }]);
    expect(none).to.deep.equal([]);
    expect(list.map(({ n }) => n)).to.deep.equal([3, 2, 1]);
  });

  it("reads all parts from one snapshot", async () => {
    const [[a], [b]] = await inOneStatement(db, (one) =>
      Promise.all([
        one.rows<{ at: string }>("SELECT pg_current_snapshot()::text AS at"),
        one.rows<{ at: string }>("SELECT pg_current_snapshot()::text AS at"),
      ]),
    );
    expect(a).to.deep.equal(b);
  });

  it("returns the same values as separate statements", async () => {
    const text = `SELECT 9007199254740991::bigint AS long, 0.1::float8 AS share, true AS yes, null AS nothing,
      ARRAY[1, 2] AS list, '{"a": [1]}'::jsonb AS json, '"\\ä' AS words`;
    const alone = await db.rows(text);
    expect(await inOneStatement(db, (one) => one.rows(text))).to.deep.equal(alone);
  });

  it("sends nothing without parts", async () => {
    const { sql, texts } = counted();
    expect(await inOneStatement(sql, async () => 1)).to.equal(1);
    expect(texts).to.deep.equal([]);
  });

  it("fails every part when one fails, and rejects a part issued too late", async () => {
    const failing = inOneStatement(db, (one) =>
      Promise.all([one.rows("SELECT 1"), one.rows("SELECT 1 / 0")]),
    );
    const late = inOneStatement(db, async (one) => {
      await one.rows("SELECT 1");
      return one.rows("SELECT 2");
    });
    const messages = await Promise.all(
      [failing, late].map((work) => work.then(String, (error: Error) => error.message)),
    );
    expect(messages[0]).to.contain("division by zero");
    expect(messages[1]).to.contain("had been sent");
  });
});
