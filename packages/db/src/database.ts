import type pg from "pg";

import type { PostCommitBus } from "./post-commit.ts";
import type { TransactionPrisma } from "./prisma-on-connection.ts";
import type { RequestDeadline } from "./request-deadline.ts";
import type { Sql } from "./sql.ts";
import type { TransactionOptions } from "./transaction.ts";
import type { Tx } from "./tx.ts";

/** The database of a process: one pool for SQL, Prisma and transactions. */
export interface Database extends Sql {
  readonly url: string;
  /** The address for connections that need a session of their own: that of PostgreSQL, if `url` is that of a pooler. */
  readonly directUrl: string;
  readonly pool: pg.Pool;
  /** Prisma Client for tests: each call runs in a transaction of its own. */
  readonly prisma: TransactionPrisma;
  /** The messages that transactions publish after their commits, to subscribe to. */
  readonly postCommit: PostCommitBus;
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Returns the same database for the work of one request: statements and transactions end with the deadline, and its
   * concurrency limit applies to connections. Prisma Client is available in transactions only, and `close` does nothing.
   */
  within(deadline: RequestDeadline): Database;
  /** Returns whether the database answers within two seconds. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}
