import { getOwnUser } from "@carillon/contract";
import { expect } from "chai";
import { createTestDatabase, useDatabase } from "./database.ts";
import { organization, type TestOrganization } from "./factories/index.ts";
import { useGateway } from "./gateway.ts";
import { countQueries } from "./query-counter.ts";

describe("countQueries", () => {
  // So few connections that requests wait for each other's.
  const db = useDatabase({ max: 2 });
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  it("counts SQL, Prisma and transactions of this database only", async () => {
    await db.rows("SELECT 1");
    const other = await createTestDatabase();
    const elsewhere = await other.connect();
    const { result, count, statements } = await countQueries(db, async () => {
      await elsewhere.rows("SELECT 'elsewhere'");
      await db.rows("SELECT 'one'");
      await db.prisma.counter.count();
      return db.transaction(async (tx) => {
        await (await tx.prisma()).counter.count();
        return tx.rows<{ n: number }>("SELECT 2 AS n");
      });
    });
    await other.drop();
    expect(result).to.deep.equal([{ n: 2 }]);
    expect(count, statements.join("\n")).to.equal(8);
    // `db.prisma` runs each call in a transaction.
    expect(statements.filter((text) => /^(BEGIN|COMMIT)$/.test(text))).to.have.length(4);
    const after = await countQueries(db, async () => {});
    expect(after.count).to.equal(0);
  });

  it("counts the statements of the work's requests, and none of concurrent requests", async () => {
    const asked = () => countQueries(db, () => gateway.as(org.member).succeed(getOwnUser));
    const alone = await asked();
    expect(alone.count).to.be.greaterThan(0);

    let done = false;
    const others = Array.from({ length: 6 }, async (_, number) => {
      while (!done) {
        if (number % 3 === 0) await gateway.as(org.owner).succeed(getOwnUser);
        else if (number % 3 === 1) await db.rows("SELECT 'another'");
        else await db.transaction((tx) => tx.rows("SELECT 'another'"));
      }
    });
    const counts = [];
    for (let i = 0; i < 20; i++) {
      const [one, two, three] = await Promise.all([
        asked(),
        asked(),
        countQueries(db, () => db.rows("SELECT 'mine'")),
      ]);
      expect(three.statements).to.deep.equal(["SELECT 'mine'"]);
      counts.push(one.statements, two.statements);
    }
    done = true;
    await Promise.all(others);
    // Concurrent requests authenticate in one statement, which counts for one of them.
    const own = (statements: readonly string[]) =>
      statements.filter((text) => !text.includes("api_key_digest"));
    expect(own(alone.statements))
      .to.have.length(alone.count - 1)
      .and.not.to.deep.equal([]);
    expect(counts.map(own)).to.deep.equal(counts.map(() => own(alone.statements)));
  });
});
