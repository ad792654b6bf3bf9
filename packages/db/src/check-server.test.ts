import { StartupError } from "@carillon/kit";
import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { checkServer, oldestPostgres } from "./check-server.ts";

describe("checkServer", () => {
  const db = useDatabase();

  /** A server that says this of itself. */
  const saying = (row: object): typeof db.pool =>
    Object.assign(Object.create(db.pool), { query: async () => ({ rows: [row] }) });

  it("returns the version of the server", async () => {
    const { number, version } = await checkServer(db.pool);
    expect(number).to.be.at.least(oldestPostgres * 10_000);
    expect(version).to.match(/^\d+\.\d+/);
  });

  it("refuses a server that is too old, or folds case in ASCII only", async () => {
    const refusal = async (row: object) => {
      const error: unknown = await checkServer(saying(row)).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(StartupError);
      return (error as StartupError).message;
    };
    expect(await refusal({ folds: true, version: "14.19", number: 140_019 })).to.equal(
      "DATABASE_URL: PostgreSQL 14.19 is too old; Carillon needs version 15 or later",
    );
    expect(await refusal({ folds: false, version: "15.0", number: 150_000 })).to.match(
      /locale does not fold letters/,
    );
    await checkServer(saying({ folds: true, version: "15.0", number: 150_000 }));
  });
});
