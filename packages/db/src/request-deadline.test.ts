import { startFaultProxy, useDatabase, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";

import { connectDatabase } from "./connect-database.ts";
import type { Database } from "./database.ts";
import { RequestDeadline } from "./request-deadline.ts";
import { Semaphore } from "@carillon/kit";

const over = new Error("the time is over");

describe("work under a request deadline", () => {
  const db = useDatabase({ max: 2 });
  let holder: pg.Client;

  before(async () => {
    await db.rows("CREATE TABLE things (id int PRIMARY KEY, n int NOT NULL)");
    await db.rows("INSERT INTO things SELECT id, 0 FROM generate_series(1, 10) id");
    holder = new pg.Client(db.url);
    // Dropping the database ends it.
    holder.on("error", () => {});
    await holder.connect();
  });
  after(() => holder.end());
  beforeEach(async () => {
    await db.rows("UPDATE things SET n = 0 WHERE n <> 0");
    await holder.query("BEGIN");
  });
  afterEach(() => holder.query("ROLLBACK"));

  const lock = (id: number) => holder.query("SELECT FROM things WHERE id = $1 FOR UPDATE", [id]);
  const add = (id: number) => `UPDATE things SET n = n + 1 WHERE id = ${id}`;
  const sum = async () =>
    (await db.rows<{ n: number }>("SELECT sum(n)::int AS n FROM things"))[0]?.n;
  /** How many of this database's connections fit the condition; not asked on the holder's, which would not see changes. */
  const activity = async (condition: string) =>
    (
      await db.rows(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`,
      )
    ).length;
  const blocked = () =>
    waitFor(async () => (await activity("wait_event_type = 'Lock'")) === 1, {
      what: "a statement waits for the lock",
    });
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => "no failure",
      (error: unknown) => error,
    );

  it("rolls back the statement in progress and earlier ones, and leaves the connection usable", async () => {
    await lock(2);
    const deadline = new RequestDeadline();
    const work = failure(
      db.within(deadline).transaction(async (tx) => {
        await tx.rows(add(1));
        await tx.rows(add(2));
        await tx.rows(add(3));
      }),
    );
    await blocked();
    deadline.end(over, true);
    expect(await work).to.equal(over);
    await deadline.settled();
    await holder.query("ROLLBACK");
    expect(await sum()).to.equal(0);
    expect(deadline.uncertain).to.equal(false);
    // The same two connections, one after the other, and none is hit by a late cancel.
    expect(db.pool.totalCount).to.be.at.most(2);
    await Promise.all(Array.from({ length: 20 }, () => db.rows("SELECT pg_sleep(0.001)")));
  });

  it("cancels pipelined statements, and those of Prisma", async () => {
    await lock(2);
    const deadline = new RequestDeadline();
    const work = failure(
      db.within(deadline).transaction(async (tx) => {
        const prisma = await tx.prisma();
        await tx.rows(add(1));
        await Promise.all([prisma.$executeRawUnsafe(add(2)), prisma.$executeRawUnsafe(add(3))]);
      }),
    );
    await blocked();
    deadline.end(over, false);
    expect(await work).to.equal(over);
    await holder.query("ROLLBACK");
    expect(await sum()).to.equal(0);
  });

  it("rolls back an idle transaction, and refuses its further statements", async () => {
    const deadline = new RequestDeadline();
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    let late: unknown;
    const work = failure(
      db.within(deadline).transaction(async (tx) => {
        await tx.rows(add(1));
        deadline.end(over, true);
        await waiting;
        late = await failure(tx.rows(add(2)));
      }),
    );
    expect(await work).to.equal(over);
    await deadline.settled();
    goOn();
    await waitFor(() => late, { what: "the statement that came too late" });
    expect(late).to.equal(over);
    expect(await sum()).to.equal(0);
  });

  it("begins nothing after the end, not even another attempt of a transaction", async () => {
    const deadline = new RequestDeadline();
    const bound = db.within(deadline);
    let attempts = 0;
    const lost = bound.transaction(async (tx) => {
      attempts++;
      deadline.end(over, true);
      await tx.rows("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
    });
    expect(await failure(lost)).to.equal(over);
    expect(attempts).to.equal(1);
    expect(await failure(bound.rows(add(1)))).to.equal(over);
    expect(await failure(bound.transaction((tx) => tx.rows(add(1))))).to.equal(over);
    expect(await sum()).to.equal(0);
  });

  it("cancels a statement outside a transaction", async () => {
    await lock(1);
    const deadline = new RequestDeadline();
    const work = failure(db.within(deadline).rows(add(1)));
    await blocked();
    deadline.end(over, true);
    expect(await work).to.equal(over);
    await holder.query("ROLLBACK");
    expect(await sum()).to.equal(0);
  });

  it("lets a commit in progress continue unless the end is final", async () => {
    for (const final of [false, true]) {
      await lock(2);
      const deadline = new RequestDeadline();
      const work = failure(
        db.within(deadline).transaction(async (tx) => {
          await tx.rows(add(1));
          tx.sendWithCommit(add(2));
        }),
      );
      await blocked();
      deadline.end(over, final);
      if (final) expect(await work).to.equal(over);
      await holder.query("ROLLBACK");
      expect(await work).to.equal(final ? over : "no failure");
      expect(deadline.commits).to.equal(final ? 0 : 1);
      expect(await sum()).to.equal(2);
      await holder.query("BEGIN");
    }
  });

  it("rolls back the whole transaction and hits no later one, whenever it ends", async () => {
    const own = await connectDatabase(db.url, { max: 1, name: "reused" });
    try {
      for (let round = 0; round < 150; round++) {
        const deadline = new RequestDeadline();
        const work = failure(
          own.within(deadline).transaction(async (tx) => {
            await Promise.all([tx.rows(add(1)), tx.rows(add(2))]);
            // Longer than any pause of this process: the deadline ends first.
            await tx.rows("SELECT pg_sleep(5)");
          }),
        );
        // From before BEGIN is sent to after its answer.
        for (let turn = round % 15; turn > 0; turn--)
          await new Promise((resolve) => setImmediate(resolve));
        deadline.end(over, true);
        // On the same connection, which may have to wait for it.
        const next = own.transaction((tx) => tx.rows(add(3)));
        expect(await work).to.equal(over);
        await next;
      }
      const rows = await db.rows("SELECT n FROM things WHERE id <= 3 ORDER BY id");
      expect(rows).to.deep.equal([{ n: 0 }, { n: 0 }, { n: 150 }]);
    } finally {
      await own.close();
    }
  });

  it("stops waiting for a connection, and leaves it to others", async () => {
    await lock(1);
    const busy = new RequestDeadline();
    const stuck = [db.within(busy).rows(add(1)), db.within(busy).rows(add(1))].map(failure);
    await waitFor(() => db.pool.idleCount === 0 && db.pool.totalCount === 2, {
      what: "no connection is free",
    });
    const deadline = new RequestDeadline();
    const waiting = failure(db.within(deadline).rows(add(2)));
    deadline.end(over, true);
    expect(await waiting).to.equal(over);
    busy.end(over, true);
    await Promise.all(stuck);
    await holder.query("ROLLBACK");
    expect(await sum()).to.equal(0);
  });

  it("waits for a permit of its concurrency limit, and passes it on", async () => {
    const limit = new Semaphore(1);
    const [first, second, third] = [
      new RequestDeadline(),
      new RequestDeadline(),
      new RequestDeadline(),
    ];
    for (const deadline of [first, second, third]) deadline.connectionLimit = limit;
    await lock(1);
    const holding = failure(db.within(first).rows(add(1)));
    await blocked();
    const [ended, next] = [failure(db.within(second).rows(add(2))), db.within(third).rows(add(3))];
    expect(db.pool.waitingCount).to.equal(0);
    second.end(over, true);
    expect(await ended).to.equal(over);
    await holder.query("ROLLBACK");
    await holding;
    await next;
    expect(await sum()).to.equal(2);
  });

  describe("on a network that drops everything", () => {
    let proxied: Database;
    let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
    beforeEach(async () => {
      proxy = await startFaultProxy(db.url);
      proxied = await connectDatabase(proxy.url, { max: 1, name: "proxied" });
    });
    afterEach(async () => {
      await proxied.close();
      await proxy.close();
    });

    it("cancels nothing before BEGIN is answered, and cuts off a connection on which it never is", async () => {
      await proxied.rows("SELECT 1");
      proxy.freeze();
      const before = proxy.accepted;
      const deadline = new RequestDeadline();
      const work = failure(proxied.within(deadline).transaction((tx) => tx.rows(add(1))));
      await waitFor(() => proxied.pool.idleCount === 0, { what: "the connection is in use" });
      deadline.end(over, true);
      expect(await work).to.equal(over);
      await deadline.settled();
      // Each cancel request is a connection.
      expect(proxy.accepted).to.equal(before);
      expect(deadline.uncertain).to.equal(false);
      await proxy.heal();
      expect(await sum()).to.equal(0);
    });

    it("is certain that nothing was committed before COMMIT was sent", async () => {
      await lock(2);
      const deadline = new RequestDeadline();
      const work = failure(
        proxied.within(deadline).transaction(async (tx) => {
          await tx.rows(add(1));
          await tx.rows(add(2));
        }),
      );
      await blocked();
      proxy.freeze();
      deadline.end(over, true);
      expect(await work).to.equal(over);
      await deadline.settled();
      expect(deadline.uncertain).to.equal(false);
      await holder.query("ROLLBACK");
      await proxy.heal();
      expect(await sum()).to.equal(0);
      await proxied.rows("SELECT 1");
    });

    it("is uncertain about a commit in progress, which the server ends by itself", async () => {
      await lock(2);
      const deadline = new RequestDeadline();
      const work = failure(
        proxied.within(deadline).transaction(async (tx) => {
          await tx.rows(add(1));
          tx.sendWithCommit(add(2));
        }),
      );
      await blocked();
      proxy.freeze();
      // Not before, because a busy machine may take as long to send the COMMIT.
      deadline.limit(1_000, () => over);
      expect(await work).to.equal(over);
      await deadline.settled();
      expect(deadline.uncertain).to.equal(true);
      await waitFor(async () => (await activity("application_name = 'carillon proxied'")) === 0, {
        what: "the server ends the transaction by itself",
      });
      await holder.query("ROLLBACK");
      await proxy.heal();
      expect(await sum()).to.equal(0);
    });
  });
});
