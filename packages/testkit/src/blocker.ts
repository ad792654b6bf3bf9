import type { Database } from "@carillon/db";
import pg from "pg";
import { countWaiting } from "./connections.ts";
import { waitFor } from "./wait-for.ts";

/** A connection that holds locks in its own transaction. */
export interface Obstacle {
  /** Runs a locking statement; others wait until `release`. */
  lock(statement: string, values?: readonly unknown[]): Promise<void>;
  /** Rolls the transaction back. */
  release(): Promise<void>;
  /** Counts the connections that wait for the obstacle, directly or indirectly. */
  waiting(): Promise<number>;
  /** Resolves when this many connections wait. */
  untilWaiting(count: number, what: string): Promise<void>;
}

/** Provides an obstacle for each test of the enclosing `describe`; released after the test. */
export function useObstacle(db: Database): Obstacle {
  let connection: pg.Client;
  const waiting = () => countWaiting(db.pool);
  const obstacle: Obstacle = {
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
  before("connect the obstacle", async () => {
    connection = new pg.Client(db.url);
    // Dropping the database ends it.
    connection.on("error", () => {});
    await connection.connect();
  });
  after("disconnect the obstacle", () => connection.end());
  beforeEach("begin the obstacle", async () => {
    await connection.query("BEGIN");
  });
  afterEach("remove the obstacle", async () => {
    await obstacle.release();
    await obstacle.untilWaiting(0, "no connection waits");
  });
  return obstacle;
}
