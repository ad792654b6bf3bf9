import type pg from "pg";

import type { Database } from "./database.ts";
import type { TransactionPrisma } from "./prisma-on-connection.ts";
import type { RequestDeadline } from "./request-deadline.ts";
import { rowsWithin } from "./pool-sql.ts";
import type { PostCommitBus } from "./post-commit.ts";
import type { Statement } from "./statement.ts";
import { transaction, type TransactionOptions, type TransactionParts } from "./transaction.ts";
import type { Tx } from "./tx.ts";

/**
 * A database for the work of one request (`Database.within`).
 *
 * A class, because each request creates some: for an object literal with a getter V8 creates a hidden class of its own
 * among the old objects, which keeps the getter's closure, and so the request, in memory until old objects are
 * collected.
 */
export class BoundDatabase implements Database {
  readonly url: string;
  readonly directUrl: string;
  readonly pool: pg.Pool;
  readonly postCommit: PostCommitBus;
  readonly #whole: Database;
  readonly #parts: TransactionParts;
  readonly #deadline: RequestDeadline;

  constructor(whole: Database, parts: TransactionParts, deadline: RequestDeadline) {
    this.url = whole.url;
    this.directUrl = whole.directUrl;
    this.pool = whole.pool;
    this.postCommit = whole.postCommit;
    this.#whole = whole;
    this.#parts = parts;
    this.#deadline = deadline;
  }

  get prisma(): TransactionPrisma {
    throw new Error("within a request Prisma is available in transactions only: tx.prisma()");
  }

  rows<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]> {
    return rowsWithin(this.pool, this.#deadline, statement, values);
  }

  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return transaction(this.#parts, work, options, this.#deadline);
  }

  within(deadline: RequestDeadline): Database {
    return new BoundDatabase(this.#whole, this.#parts, deadline);
  }

  answers(): Promise<boolean> {
    return this.#whole.answers();
  }

  /** Does nothing: the process closes it. */
  async close(): Promise<void> {}
}
