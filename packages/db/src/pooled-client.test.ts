import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { connectDatabase } from "./connect-database.ts";
import type { Database } from "./database.ts";

describe("a database behind a pooler in transaction mode", () => {
  const db = useDatabase();
  let pooled: Database;

  before(async () => {
    const limits = { statementTimeoutMs: 20_000, transactionTimeoutMs: 25_000 };
    pooled = await connectDatabase(db.url, { max: 1, name: "test", directUrl: db.url, ...limits });
  });
  after(() => pooled.close());

  const settings = `SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle,
    current_setting('transaction_timeout', true) AS transaction`;

  it("prepares no named statements, because another session would not know them", async () => {
    const named = { name: "pooled-one", text: "SELECT $1::int AS n" } as never;
    await pooled.rows(named, [1]);
    const prepared = await pooled.transaction(async (tx) => {
      expect(await tx.rows(named, [2])).to.deep.equal([{ n: 2 }]);
      return tx.rows("SELECT name FROM pg_prepared_statements" as never);
    });
    expect(prepared).to.deep.equal([]);
  });

  it("limits each transaction, and leaves no settings behind in the session", async () => {
    const limited = { statement: "20s", idle: "10s", transaction: "25s" };
    const read = (mode: "read committed" | "repeatable read read only") =>
      pooled.transaction((tx) => tx.rows(settings as never), { mode });
    expect(await read("read committed")).to.deep.equal([limited]);
    expect(await read("repeatable read read only")).to.deep.equal([limited]);
    expect(await pooled.rows(settings as never)).to.deep.equal([
      { statement: "0", idle: "0", transaction: "0" },
    ]);
  });
});
