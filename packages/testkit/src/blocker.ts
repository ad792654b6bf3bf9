import type { Database } from "@carillon/db";
import pg from "pg";
import { countWaiting } from "./connections.ts";
import { waitFor } from "./wait-for.ts";

/** A connection that holds locks in its own transaction. */
export interface Blocker {
  /** Runs a locking statement; others wait until `release`. */
  lock(statement: string, values?: readonly unknown[]): Promise<void>;
  /** Rolls the transaction back. */
  release(): Promise<void>;
  /** Counts the connections that wait for the blocker, directly or indirectly. */
  waiting(): Promise<number>;
  /** Resolves when this many connections wait. */
  untilWaiting(count: number, what: string): Promise<void>;
}

/** Provides a blocker for each test of the enclosing `describe`; released after the test. */
export function useBlocker(db: Database): Blocker {
  let connection: pg.Client;
  const waiting = () => countWaiting(db.pool);
  const blocker: Blocker = {
    async lock(statement, values) {
      await connection.query(statement, values && [...values]);
    },
    async release() {
      await connection.query("ROLLBACK");
    },
    waiting,
    async untilWaiting(count, what) {
      await waitFor(async () => (await waiting()) === count, { what });
    },
  };
  before("connect the blocker", async () => {
    connection = new pg.Client(db.url);
    // Dropping the database ends it.
    connection.on("error", () => {});
    await connection.connect();
  });
  after("disconnect the blocker", () => connection.end());
  beforeEach("begin the blocker", async () => {
    await connection.query("BEGIN");
  });
  afterEach("remove the blocker", async () => {
    await blocker.release();
    await blocker.untilWaiting(0, "no connection waits");
  });
  return blocker;
}
