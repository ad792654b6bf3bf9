import type pg from "pg";

import type { MigrationSet } from "./migration-files.ts";
import { checkMigrations, unreachable } from "./migrations.ts";
import { answers, createPool, type PoolOptions } from "./pool.ts";
import { poolSql } from "./pool-sql.ts";
import { PostCommitBus } from "./post-commit.ts";
import { refuseTwoPrimaries } from "./server-roles.ts";
import type { Sql } from "./sql.ts";
import { transaction, type TransactionParts } from "./transaction.ts";
import type { Tx } from "./tx.ts";

/** A database other than the chat server's: with its own migrations and declared statements, without Prisma. */
export interface Store extends Sql {
  readonly pool: pg.Pool;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Returns whether the database answers within two seconds. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Connects and checks the migrations.
 * @throws StartupError when the database does not answer or does not have this build's migrations
 */
export async function connectStore(
  databaseUrl: string,
  options: PoolOptions,
  migrations: MigrationSet,
): Promise<Store> {
  const pool = createPool(databaseUrl, options);
  try {
    await pool.query("SELECT 1").catch((error: Error) => {
      throw unreachable(databaseUrl, error, migrations.variable);
    });
    await refuseTwoPrimaries(databaseUrl, migrations.variable);
    await checkMigrations(pool, migrations);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const parts: TransactionParts = {
    pool,
    prismaClient: { enter: () => Promise.reject(new Error("this database has no Prisma Client")) },
    postCommit: new PostCommitBus(),
    checkLocks: false,
    transactionTimeoutMs: undefined,
  };
  return {
    pool,
    ...poolSql(pool),
    transaction: (work) => transaction(parts, work),
    answers: () => answers(pool),
    close: () => pool.end(),
  };
}
