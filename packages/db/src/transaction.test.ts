import { expect } from "chai";
import { useDatabase, waitFor } from "@carillon/testkit";
import { isTransient, sqlState } from "./sql-errors.ts";
import { defaultAttempts } from "./transaction.ts";
import type { Tx } from "./tx.ts";

describe("a transaction", () => {
  const db = useDatabase({ max: 4 });

  beforeEach(async () => {
    await db.rows("DELETE FROM counters");
    await db.rows("INSERT INTO counters (name, value) VALUES ('a', 0), ('b', 0)");
  });

  const values = async () =>
    Object.fromEntries(
      (
        await db.rows<{ name: string; value: number }>(
          "SELECT name, value FROM counters ORDER BY name",
        )
      ).map(({ name, value }) => [name, value]),
    );
  const add = (tx: Tx, name: string) =>
    tx.count("UPDATE counters SET value = value + 1 WHERE name = $1", [name]);
  const refusal = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => expect.fail("it succeeded"),
      (thrown: unknown) => thrown,
    );
    return error as Error;
  };

  it("commits, and then runs the after-commit hooks in order", async () => {
    const seen: unknown[] = [];
    const result = await db.transaction(async (tx) => {
      tx.afterCommit(() => seen.push("first"));
      tx.afterCommit(() => seen.push("second"));
      await add(tx, "a");
      expect(await values()).to.deep.equal({ a: 0, b: 0 });
      return "done";
    });
    expect(result).to.equal("done");
    expect(seen).to.deep.equal(["first", "second"]);
    expect(await values()).to.deep.equal({ a: 1, b: 0 });
  });

  it("rolls back when its work throws, and runs no hook", async () => {
    let hooks = 0;
    const error = await refusal(
      db.transaction(async (tx) => {
        tx.afterCommit(() => hooks++);
        await add(tx, "a");
        throw new Error("no");
      }),
    );
    expect(error.message).to.equal("no");
    expect(hooks).to.equal(0);
    expect(await values()).to.deep.equal({ a: 0, b: 0 });
  });

  it("runs no hook when the commit itself fails", async () => {
    let hooks = 0;
    const error = await refusal(
      db.transaction(async (tx) => {
        tx.afterCommit(() => hooks++);
        // The key to the organization is checked at the commit.
        await tx.rows("INSERT INTO user_group (realm_id) VALUES (2147483647)");
      }),
    );
    expect(sqlState(error)).to.equal("23503");
    expect(hooks).to.equal(0);
  });

  it("fails when its work swallowed an error of the database", async () => {
    let hooks = 0;
    const error = await refusal(
      db.transaction(async (tx) => {
        tx.afterCommit(() => hooks++);
        await add(tx, "a");
        await tx.rows("SELECT 1 / 0").catch(() => undefined);
      }),
    );
    expect(error.message).to.contain("the error of a failed statement was swallowed");
    expect(hooks).to.equal(0);
    expect(await values()).to.deep.equal({ a: 0, b: 0 });
  });

  const addOne = "UPDATE counters SET value = value + 1 WHERE name = $1";

  it("sends kept statements with the commit, and takes their locks no earlier", async () => {
    await db.transaction(async (tx) => {
      tx.sendWithCommit(addOne, ["a"]);
      await add(tx, "b");
      await db.transaction((other) => add(other, "a"));
    });
    expect(await values()).to.deep.equal({ a: 2, b: 1 });
  });

  it("rolls back when a statement sent with the commit fails", async () => {
    let hooks = 0;
    const error = await refusal(
      db.transaction(async (tx) => {
        tx.afterCommit(() => hooks++);
        await add(tx, "a");
        tx.sendWithCommit("SELECT 1 / 0");
        tx.sendWithCommit(addOne, ["b"]);
      }),
    );
    expect(sqlState(error)).to.equal("22012");
    expect(hooks).to.equal(0);
    expect(await values()).to.deep.equal({ a: 0, b: 0 });
  });

  it("drops the kept statements of a savepoint that is rolled back", async () => {
    await db.transaction(async (tx) => {
      tx.sendWithCommit(addOne, ["a"]);
      const thrown = await refusal(
        tx.savepoint(async () => {
          tx.sendWithCommit(addOne, ["b"]);
          throw new Error("no");
        }),
      );
      expect(thrown.message).to.equal("no");
      const failed = await refusal(tx.savepoint(async () => tx.sendWithCommit("SELECT 1 / 0")));
      expect(sqlState(failed)).to.equal("22012");
      await tx.savepoint(async () => tx.sendWithCommit(addOne, ["b"]));
    });
    expect(await values()).to.deep.equal({ a: 1, b: 1 });
  });

  it("answers pipelined statements in order, and throws the first error", async () => {
    const error = await refusal(
      db.transaction(async (tx) => {
        const counts = await Promise.all([add(tx, "a"), add(tx, "none"), add(tx, "b")]);
        expect(counts).to.deep.equal([1, 0, 1]);
        await Promise.all([add(tx, "a"), tx.rows("SELECT 1 / 0"), add(tx, "b")]);
      }),
    );
    expect(sqlState(error)).to.equal("22012");
    expect(await values()).to.deep.equal({ a: 0, b: 0 });
  });

  it("rolls back to a savepoint, hooks included, and continues", async () => {
    const seen: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => seen.push("before"));
      await add(tx, "a");
      const error = await refusal(
        tx.savepoint(async () => {
          tx.afterCommit(() => seen.push("undone"));
          await add(tx, "b");
          await tx.rows("SELECT 1 / 0");
        }),
      );
      expect(sqlState(error)).to.equal("22012");
      const kept = await tx.savepoint(async () => {
        tx.afterCommit(() => seen.push("kept"));
        return add(tx, "a");
      });
      expect(kept).to.equal(1);
    });
    expect(seen).to.deep.equal(["before", "kept"]);
    expect(await values()).to.deep.equal({ a: 2, b: 0 });
  });

  it("rolls back an inner savepoint without the outer one", async () => {
    await db.transaction((tx) =>
      tx.savepoint(async () => {
        await add(tx, "a");
        await refusal(
          tx.savepoint(async () => {
            await add(tx, "b");
            throw new Error("inner");
          }),
        );
      }),
    );
    expect(await values()).to.deep.equal({ a: 1, b: 0 });
  });

  it("returns bigint as a number from SQL, and as BigInt from Prisma", async () => {
    await db.rows("UPDATE counters SET value = 9007199254740991 WHERE name = 'a'");
    const [row] = await db.rows<{ value: number; none: null }>(
      "SELECT value, NULL::bigint AS none FROM counters WHERE name = 'a'",
    );
    expect(row).to.deep.equal({ value: 9_007_199_254_740_991, none: null });
    const first = await db.transaction((tx) => tx.first("SELECT count(*) AS n FROM counters"));
    expect(first).to.deep.equal({ n: 2 });
    expect((await db.prisma.counter.findUnique({ where: { name: "a" } }))?.value).to.equal(
      9_007_199_254_740_991n,
    );
  });

  it("prepares a named statement once and runs it with other values", async () => {
    const statement = { name: "test-counter", text: "SELECT value FROM counters WHERE name = $1" };
    await db.transaction(async (tx) => {
      await add(tx, "b");
      expect(await tx.first(statement, ["a"])).to.deep.equal({ value: 0 });
      expect(await tx.first(statement, ["b"])).to.deep.equal({ value: 1 });
      expect(await tx.first(statement, ["c"])).to.equal(undefined);
      const prepared = await tx.rows("SELECT FROM pg_prepared_statements WHERE name = $1", [
        statement.name,
      ]);
      expect(prepared).to.have.length(1);
    });
  });

  it("plans a statement once if asked to, and otherwise for each of the first five arrays", async () => {
    const find = {
      name: "find-counters",
      text: "SELECT value FROM unnest($1::text[]) AS wanted (name) JOIN counters USING (name)",
    };
    const plans = (reusesPlans: boolean) =>
      db.transaction(
        async (tx) => {
          for (let n = 0; n < 5; n++) await tx.rows(find, [["a"]]);
          return tx.first(
            "SELECT generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements WHERE name = $1",
            [find.name],
          );
        },
        { reusesPlans },
      );
    expect(await plans(true)).to.deep.equal({ generic: 5, custom: 0 });
    expect(await plans(false)).to.deep.equal({ generic: 5, custom: 5 });
  });

  it("reads one snapshot in the read-only mode, and refuses writes", async () => {
    await db.transaction(
      async (tx) => {
        const before = await tx.rows("SELECT sum(value) AS sum FROM counters");
        await db.transaction((other) => add(other, "a"));
        expect(await tx.rows("SELECT sum(value) AS sum FROM counters")).to.deep.equal(before);
        expect(sqlState(await refusal(tx.savepoint(() => add(tx, "a"))))).to.equal("25006");
      },
      { mode: "repeatable read read only" },
    );
  });

  it("runs again after a deadlock, with the hooks of the last run only", async () => {
    let runs = 0;
    const hooks: string[] = [];
    // Each takes its first row, and the second only when both have their first.
    let holding = 0;
    const bothHold = () => waitFor(() => holding >= 2, { what: "both hold a row" });
    // Who lost begins again when the other one is through: sooner, it might take its first row from under it once more.
    const cross = (first: string, second: string) =>
      db.transaction(async (tx) => {
        if (++runs > 2) await waitFor(() => hooks.length > 0, { what: "the other one commits" });
        tx.afterCommit(() => hooks.push(first));
        await add(tx, first);
        holding++;
        await bothHold();
        await add(tx, second);
      });
    await Promise.all([cross("a", "b"), cross("b", "a")]);
    expect(runs).to.equal(3);
    expect(hooks).to.have.members(["a", "b"]);
    expect(await values()).to.deep.equal({ a: 2, b: 2 });
  });

  it("runs again after a serialization failure, up to its attempts", async () => {
    const lose = async (times: number, attempts?: number) => {
      let runs = 0;
      const work = db.transaction(
        async (tx) => {
          await add(tx, "a");
          if (++runs <= times) await tx.rows("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
          return runs;
        },
        attempts === undefined ? {} : { attempts },
      );
      return work.catch((error: unknown) => sqlState(error));
    };
    expect(await lose(defaultAttempts - 1)).to.equal(defaultAttempts);
    expect(await values()).to.include({ a: 1 });
    expect(await lose(defaultAttempts)).to.equal("40001");
    expect(await lose(1, 1)).to.equal("40001");
    expect(await values()).to.include({ a: 1 });
  });

  it("runs again when a statement of Prisma failed to serialize", async () => {
    let runs = 0;
    await db.transaction(async (tx) => {
      const prisma = await tx.prisma();
      await prisma.counter.update({ where: { name: "a" }, data: { value: { increment: 1 } } });
      if (++runs < 3) await prisma.$executeRawUnsafe("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$");
    });
    expect(runs).to.equal(3);
    expect(await values()).to.include({ a: 1 });
  });

  it("does not run again after any other error", async () => {
    let runs = 0;
    await refusal(
      db.transaction(async (tx) => {
        runs++;
        await tx.rows("SELECT 1 / 0");
      }),
    );
    expect(runs).to.equal(1);
  });

  it("releases its connection however its work ends", async () => {
    const idle = () => db.pool.totalCount - db.pool.idleCount;
    for (let round = 0; round < 12; round++) {
      await refusal(
        db.transaction(async (tx) => {
          if (round % 3 === 0) await tx.rows("SELECT 1 / 0");
          if (round % 3 === 1) await tx.prisma();
          throw new Error("no");
        }),
      );
    }
    expect(idle()).to.equal(0);
    // More at once than there are connections: all get through.
    await Promise.all(
      Array.from({ length: 20 }, () => db.transaction((tx) => tx.rows("SELECT pg_sleep(0.005)"))),
    );
    expect(idle()).to.equal(0);
    expect(db.pool.totalCount).to.be.at.most(4);
    expect(db.pool.waitingCount).to.equal(0);
  });

  it("throws the first error, not one that followed from it", async () => {
    /** Its failure goes a longer way. */
    const wrapped = async (work: () => Promise<unknown>): Promise<unknown> => work();
    let attempts = 0;
    const lost = `DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$`;
    await db.transaction(async (tx) => {
      if (++attempts === 1)
        await Promise.all([
          wrapped(() => wrapped(() => wrapped(() => tx.rows(lost)))),
          tx.rows("SELECT 1"),
        ]);
    });
    expect(attempts).to.equal(2);

    const messages = await db.transaction(async (tx) => {
      const first = await refusal(tx.savepoint(() => tx.rows("SELECT 1 / 0")));
      const second = await refusal(
        tx.savepoint(() =>
          Promise.all([wrapped(() => tx.rows("SELECT nothing")), tx.rows("SELECT 1")]),
        ),
      );
      return [first.message, second.message];
    });
    expect(messages[0]).to.contain("division by zero");
    expect(messages[1]).to.contain("nothing");
  });

  it("drops a broken connection and takes another one", async () => {
    const error = await refusal(
      db.transaction(async (tx) => {
        const own = await tx.first<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        await db.rows("SELECT pg_terminate_backend($1)", [own?.pid]);
        await waitFor(
          async () =>
            (await db.rows("SELECT FROM pg_stat_activity WHERE pid = $1", [own?.pid])).length === 0,
          { what: "the connection is gone" },
        );
        await add(tx, "a");
      }),
    );
    expect(error.message).to.match(/terminat|connection/i);
    expect(await values()).to.deep.equal({ a: 0, b: 0 });
    expect(await db.answers()).to.equal(true);
  });
});

describe("isTransient", () => {
  const failure = (message: string, code?: string) =>
    Object.assign(new Error(message), code === undefined ? {} : { code });

  it("accepts a lost connection, whatever its message", () => {
    expect(isTransient(failure("write EPIPE", "EPIPE"))).to.equal(true);
    expect(isTransient(failure("read ECONNRESET", "ECONNRESET"))).to.equal(true);
    expect(isTransient(failure("Query read timeout"))).to.equal(true);
    expect(isTransient(failure("Connection terminated unexpectedly"))).to.equal(true);
    expect(isTransient(failure("terminating connection", "57P01"))).to.equal(true);
  });

  it("accepts a lock that was not granted", () => {
    for (const code of ["40001", "40P01", "55P03"])
      expect(isTransient(failure("no", code)), code).to.equal(true);
  });

  it("rejects an error of the work itself", () => {
    expect(isTransient(failure("duplicate key", "23505"))).to.equal(false);
    expect(isTransient(new TypeError("connection is not a function"))).to.equal(false);
    expect(isTransient(undefined)).to.equal(false);
  });
});
