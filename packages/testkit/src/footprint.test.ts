import { expect } from "chai";
import { useDatabase } from "./database.ts";
import { organization } from "./factories/index.ts";
import { changesOf } from "./footprint.ts";
import { refused } from "./requests/index.ts";

describe("changesOf", () => {
  const db = useDatabase();
  const tables = async (...statements: string[]) => {
    const work = () =>
      db.transaction(async (tx) => {
        for (const statement of statements) await tx.rows(statement);
      });
    return (await changesOf(db, work)).tables;
  };
  before(() => organization(db));

  it("returns tables with inserted, updated or deleted rows, in any organization", async () => {
    expect(
      await tables("INSERT INTO channel_folders (realm_id, name) SELECT id, 'a' FROM realms"),
    ).to.deep.equal(["channel_folders"]);
    expect(await tables("UPDATE users SET full_name = full_name WHERE role = 400")).to.deep.equal([
      "users",
    ]);
    expect(await tables("DELETE FROM channel_folders", "DELETE FROM audit_log")).to.include(
      "channel_folders",
    );
  });

  it("returns no tables for reads, row locks and rolled back changes", async () => {
    expect(await tables("SELECT * FROM users FOR UPDATE")).to.deep.equal([]);
    expect(await tables("SAVEPOINT a", "DELETE FROM alert_words", "ROLLBACK TO a")).to.deep.equal(
      [],
    );
  });

  it("fails the check of a refusal that changed a table", async () => {
    const body = { result: "error", msg: "No.", code: "BAD_REQUEST" } as const;
    const ask = async () => {
      await db.rows("UPDATE users SET full_name = full_name || '!'");
      return { status: 400, body };
    };
    const failure = await refused(db, ask).catch((error: unknown) => String(error));
    expect(failure).to.contain("tables that a refused request has changed");
    expect(await refused(db, async () => ({ status: 400, body }))).to.equal(body);
  });
});
