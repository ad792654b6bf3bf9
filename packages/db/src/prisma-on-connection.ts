import { AsyncLocalStorage } from "node:async_hooks";

import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";

import { type Prisma, PrismaClient } from "./generated/client.ts";

/**
 * Prisma Client inside a transaction that this package opened: its statements run on the transaction's connection, next
 * to SQL. A client costs about 20 MB, 85 ms, and its compiled plans, so a process has one, whatever number of pools it
 * has. Its interactive transaction gets our connection, and we drop its BEGIN and COMMIT.
 */

/** Prisma Client within one transaction. */
export type TransactionPrisma = Prisma.TransactionClient;

/** The Prisma Client of this process, for use inside open transactions. */
export interface SharedPrismaClient {
  readonly client: PrismaClient;
  /** Enters the transaction of `connection`; `leave` must be called before that transaction ends. */
  enter(
    connection: pg.PoolClient,
  ): Promise<{ prisma: TransactionPrisma; leave: () => Promise<void> }>;
}

const handedOver = new AsyncLocalStorage<pg.PoolClient>();

export function sharePrismaClient(): SharedPrismaClient {
  const client = new PrismaClient({ adapter: new PrismaPg(new HandedOverConnections()) });
  return {
    client,
    enter: (connection) =>
      new Promise((entered, failed) => {
        let leave = () => {};
        const left = new Promise<void>((resolve) => (leave = resolve));
        const run = handedOver.run(connection, () =>
          client.$transaction(
            async (prisma) => {
              entered({ prisma, leave: () => (leave(), run) });
              await left;
            },
            // The limits of our own transaction are tighter.
            { timeout: 120_000, maxWait: 10_000 },
          ),
        );
        run.catch(failed);
      }),
  };
}

/** The pool that Prisma's adapter gets. It returns the connection that `enter` handed over, and never opens one. */
class HandedOverConnections extends pg.Pool {
  override connect(): Promise<pg.PoolClient> {
    const connection = handedOver.getStore();
    return connection
      ? Promise.resolve(inTransaction(connection))
      : Promise.reject(new Error("Prisma Client is available inside transactions only"));
  }
}

type Query = (config: { text: string }) => Promise<pg.QueryResult>;

const transactionControl = new Set(["BEGIN", "COMMIT", "ROLLBACK"]);
const nothing = { rows: [], fields: [], rowCount: 0, command: "", oid: 0 } as pg.QueryResult;

/** Wraps a connection that is in a transaction and stays in it. It runs one statement at a time. */
function inTransaction(connection: pg.PoolClient): pg.PoolClient {
  const query = connection.query.bind(connection) as Query;
  let last: Promise<unknown> = Promise.resolve();
  return {
    query: (config: { text: string }) => {
      if (transactionControl.has(config.text)) return Promise.resolve(nothing);
      const next = last.then(() => query(config));
      last = next.catch(() => {});
      return next;
    },
    on: () => {},
    removeListener: () => {},
    release: () => {},
  } as unknown as pg.PoolClient;
}
