import { StartupError } from "@carillon/kit";
import type pg from "pg";

import type { PrismaClient } from "./generated/client.ts";
import { checkMigrations, unreachable } from "./migrations.ts";
import { createPool, type PoolOptions } from "./pool.ts";
import { prismaGateway } from "./prisma-on-connection.ts";
import {
  poolSql,
  transaction,
  type Outbox,
  type Sql,
  type TransactionOptions,
  type Tx,
} from "./transaction.ts";

/** A process's way to PostgreSQL: one pool, behind SQL, Prisma and transactions. */
export interface Database extends Sql {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Prisma Client outside any transaction. */
  readonly prisma: PrismaClient;
  /** Hears of the intents that transactions leave behind, after their commits. */
  readonly outbox: Outbox;
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** True when the database answers within two seconds. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The boot gate: connects, and refuses a database that does not answer, that folds case in ASCII only,
 * or whose migrations are not this build's.
 * @throws StartupError with the one line for the person who started the process
 */
export async function connectDatabase(
  databaseUrl: string,
  options: PoolOptions,
): Promise<Database> {
  const pool = createPool(databaseUrl, options);
  try {
    const { rows } = await pool
      .query<{ folds: boolean }>("SELECT lower('Ä') = 'ä' AS folds")
      .catch((error: Error) => {
        throw unreachable(databaseUrl, error);
      });
    if (!rows[0]?.folds) {
      throw new StartupError(
        "DATABASE_URL: the database's locale does not fold letters beyond ASCII; create it with a UTF-8 locale such as C.UTF-8",
      );
    }
    await checkMigrations(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const gateway = prismaGateway(pool);
  const outbox: Outbox = {};
  return {
    url: databaseUrl,
    pool,
    prisma: gateway.client,
    outbox,
    ...poolSql(pool),
    transaction: (work, transactionOptions) =>
      transaction({ pool, gateway, outbox }, work, transactionOptions),
    answers: () => answers(pool),
    close: async () => {
      await gateway.client.$disconnect();
      await pool.end();
    },
  };
}

async function answers(pool: pg.Pool): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), 2_000);
  });
  const answer = pool.query("SELECT 1").then(
    () => true,
    () => false,
  );
  const result = await Promise.race([answer, late]);
  clearTimeout(timer);
  return result;
}
