import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { together } from "./together.ts";
import type { Sql } from "./sql.ts";

describe("statements that are asked together", () => {
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

  it("are one, each with its own values, rows and order", async () => {
    const { sql, texts } = counted();
    const twice = {
      name: "together-test",
      text: "SELECT $2::int AS b, $1::text AS a, $2::int + 1 AS c",
    };
    const [first, second, none, list] = await together(sql, (one) =>
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

  it("see one moment", async () => {
    const [[a], [b]] = await together(db, (one) =>
      Promise.all([
        one.rows<{ at: string }>("SELECT pg_current_snapshot()::text AS at"),
        one.rows<{ at: string }>("SELECT pg_current_snapshot()::text AS at"),
      ]),
    );
    expect(a).to.deep.equal(b);
  });

  it("give the values that they give alone", async () => {
    const text = `SELECT 9007199254740991::bigint AS long, 0.1::float8 AS share, true AS yes, null AS nothing,
      ARRAY[1, 2] AS list, '{"a": [1]}'::jsonb AS json, '"\\ä' AS words`;
    const alone = await db.rows(text);
    expect(await together(db, (one) => one.rows(text))).to.deep.equal(alone);
  });

  it("ask nothing where there is nothing to ask", async () => {
    const { sql, texts } = counted();
    expect(await together(sql, async () => 1)).to.equal(1);
    expect(texts).to.deep.equal([]);
  });

  it("fail together, and refuse what comes too late", async () => {
    const failing = together(db, (one) =>
      Promise.all([one.rows("SELECT 1"), one.rows("SELECT 1 / 0")]),
    );
    const late = together(db, async (one) => {
      await one.rows("SELECT 1");
      return one.rows("SELECT 2");
    });
    const messages = await Promise.all(
      [failing, late].map((work) => work.then(String, (error: Error) => error.message)),
    );
    expect(messages[0]).to.contain("division by zero");
    expect(messages[1]).to.contain("asked at once");
  });
});
