import { StartupError } from "@carillon/kit";

import { BoundDatabase } from "./bound-database.ts";
import { checkServer } from "./check-server.ts";
import type { Database } from "./database.ts";
import { lazyPrismaClient } from "./lazy-prisma-client.ts";
import { chatMigrations } from "./migration-files.ts";
import { checkMigrations, unreachable } from "./migrations.ts";
import { answers, createPool, sessionLimits, type PoolOptions } from "./pool.ts";
import { prismaOutside } from "./prisma-outside.ts";
import { poolSql } from "./pool-sql.ts";
import { PostCommitBus } from "./post-commit.ts";
import { refuseTwoPrimaries } from "./server-roles.ts";
import { transaction, type TransactionParts } from "./transaction.ts";

/**
 * Connects and checks the database before a process starts.
 * @throws StartupError when the database does not answer, folds case in ASCII only, or does not have this build's
 *   migrations, or when two servers accept writes
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
    await refuseTwoPrimaries(options.directUrl ?? databaseUrl, chatMigrations.variable);
    await checkMigrations(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const prismaClient = lazyPrismaClient();
  const postCommit = new PostCommitBus();
  const parts: TransactionParts = {
    pool,
    prismaClient,
    postCommit,
    checkLocks: options.checkLocks ?? false,
    limits: options.directUrl === undefined ? undefined : sessionLimits(options),
    transactionTimeoutMs:
      version < transactionTimeoutSince
        ? undefined
        : (options.transactionTimeoutMs ?? Number.POSITIVE_INFINITY),
  };
  const database: Database = {
    url: databaseUrl,
    directUrl: options.directUrl ?? databaseUrl,
    pool,
    prisma: prismaOutside((work) => transaction(parts, work)),
    postCommit,
    ...poolSql(pool),
    transaction: (work, transactionOptions) => transaction(parts, work, transactionOptions),
    within: (deadline) => new BoundDatabase(database, parts, deadline),
    answers: () => answers(pool),
    close: () => pool.end(),
  };
  return database;
}

/** The first version that has `transaction_timeout`, as `server_version_num`. */
const transactionTimeoutSince = 170_000;
