import { StartupError } from "@carillon/kit";
import {
  administer,
  createTestDatabase,
  dropDatabase,
  postgresUrl,
  startFaultProxy,
  withDatabase,
  type TestDatabase,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { connectDatabase } from "./connect-database.ts";

const options = { max: 2, name: "test" };

async function refusal(url: string): Promise<string> {
  const error: unknown = await connectDatabase(url, options).then(
    async (db) => {
      await db.close();
      return undefined;
    },
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(StartupError);
  return (error as StartupError).message;
}

describe("connectDatabase", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it("serves SQL and Prisma from one pool", async () => {
    const db = await database.connect(options);
    expect(await db.answers()).to.equal(true);
    expect(await db.rows("SELECT 1 AS one")).to.deep.equal([{ one: 1 }]);
    expect(await db.prisma.counter.count()).to.equal(0);
    expect(db.pool.totalCount).to.equal(1);
    await db.close();
  });

  it("refuses a server that cannot be reached, without showing the password", async () => {
    const proxy = await startFaultProxy(postgresUrl());
    const url = new URL(proxy.url);
    url.password = "a-secret";
    await proxy.close();
    const message = await refusal(url.href);
    expect(message).to.match(
      /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+\/.*ECONNREFUSED/,
    );
    expect(message).not.to.contain("a-secret");
  });

  it("refuses a database that does not exist", async () => {
    expect(await refusal(withDatabase(postgresUrl(), "carillon_no_such_database"))).to.match(
      /^DATABASE_URL: .*carillon_no_such_database/,
    );
  });

  it("refuses a database that folds case in ASCII only", async () => {
    const name = `${database.name}_ascii`;
    await administer((client) =>
      client.query(
        `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C' ENCODING 'UTF8'`,
      ),
    );
    try {
      expect(await refusal(withDatabase(postgresUrl(), name))).to.match(
        /^DATABASE_URL: .*locale does not fold letters beyond ASCII.*C\.UTF-8/,
      );
    } finally {
      await dropDatabase(name);
    }
  });

  it("reports that the server is gone, and that it is back", async () => {
    const proxy = await startFaultProxy(database.url);
    const db = await connectDatabase(proxy.url, options);
    try {
      expect(await db.answers()).to.equal(true);
      await proxy.refuse();
      expect(await db.answers()).to.equal(false);
      await proxy.heal();
      // A new connection may take longer than the two seconds of a question.
      await waitFor(() => db.answers(), { what: "the database answers" });
    } finally {
      await db.close();
      await proxy.close();
    }
  });

  it("reports within two seconds that the server does not answer", async () => {
    const proxy = await startFaultProxy(database.url);
    const db = await connectDatabase(proxy.url, options);
    try {
      proxy.freeze();
      expect(await db.answers()).to.equal(false);
    } finally {
      proxy.drop();
      await db.close();
      await proxy.close();
    }
  });
});
