import { StartupError, within } from "@carillon/kit";
import type pg from "pg";

import { BoundDatabase } from "./bound-database.ts";
import type { PrismaClient } from "./generated/client.ts";
import type { RequestDeadline } from "./request-deadline.ts";
import { checkServer } from "./check-server.ts";
import { checkMigrations, unreachable } from "./migrations.ts";
import { createPool, type PoolOptions } from "./pool.ts";
import { lazyPrismaClient } from "./lazy-prisma-client.ts";
import { poolSql } from "./pool-sql.ts";
import { PostCommitBus } from "./post-commit.ts";
import type { Sql } from "./sql.ts";
import { transaction, type TransactionOptions, type TransactionParts } from "./transaction.ts";
import type { Tx } from "./tx.ts";

/** The database of a process: one pool for SQL, Prisma and transactions. */
export interface Database extends Sql {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Prisma Client outside any transaction, for tests. @throws Error before `loadPrisma` has resolved */
  readonly prisma: PrismaClient;
  loadPrisma(): Promise<void>;
  /** Where what transactions publish after their commits is subscribed to. */
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

/**
 * Connects and checks the database before a process starts.
 * @throws StartupError when the database does not answer, folds case in ASCII only, or does not have this build's
 *   migrations
 */
export async function connectDatabase(
  databaseUrl: string,
  options: PoolOptions,
): Promise<Database> {
  const pool = createPool(databaseUrl, options);
  let version = 0;
  try {
    const server = await checkServer(pool).catch((error: Error) => {
      throw error instanceof StartupError ? error : unreachable(databaseUrl, error);
    });
    version = server.number;
    await checkMigrations(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const prismaClient = lazyPrismaClient(pool);
  const postCommit = new PostCommitBus();
  const parts: TransactionParts = {
    pool,
    prismaClient,
    postCommit,
    checkLocks: options.checkLocks ?? false,
    transactionTimeoutMs:
      version < transactionTimeoutSince
        ? undefined
        : (options.transactionTimeoutMs ?? Number.POSITIVE_INFINITY),
  };
  const database: Database = {
    url: databaseUrl,
    pool,
    get prisma(): PrismaClient {
      return prismaClient.client;
    },
    loadPrisma: () => prismaClient.load(),
    postCommit,
    ...poolSql(pool),
    transaction: (work, transactionOptions) => transaction(parts, work, transactionOptions),
    within: (deadline) => new BoundDatabase(database, parts, deadline),
    answers: () => answers(pool),
    close: async () => {
      await prismaClient.close();
      await pool.end();
    },
  };
  return database;
}

/** PostgreSQL's `server_version_num`. */
const transactionTimeoutSince = 170_000;

/** How long an answer may take, in milliseconds. */
const answerMs = 2_000;

/** @internal Returns whether the database behind the pool answers within two seconds. */
export function answers(pool: pg.Pool): Promise<boolean> {
  return within(pool.query("SELECT 1"), answerMs).catch(() => false);
}
