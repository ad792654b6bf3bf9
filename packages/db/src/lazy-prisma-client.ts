import { setImmediate as yieldToEventLoop } from "node:timers/promises";

import { whenNeeded } from "@carillon/kit";
import type pg from "pg";

import type { SharedPrismaClient, TransactionPrisma } from "./prisma-on-connection.ts";

/** The Prisma Client of this process, which is loaded on first use. */
export interface LazyPrismaClient {
  /** Enters the transaction of `connection`; `leave` must be called before that transaction ends. */
  enter(
    connection: pg.PoolClient,
  ): Promise<{ prisma: TransactionPrisma; leave: () => Promise<void> }>;
}

/**
 * Prisma Client with its adapter, model and compiler takes 70 MB, and most processes hardly use it: a dashboard never does,
 * a worker only for commands to the scheduling bot. Loading takes 300 ms of processor time, in pieces that let other work
 * run.
 */
const shared = whenNeeded(load);

/** Returns one database's access to the Prisma Client of the process. */
export function lazyPrismaClient(): LazyPrismaClient {
  return { enter: async (connection) => (await shared()).enter(connection) };
}

async function load(): Promise<SharedPrismaClient> {
  const { sharePrismaClient } = await import("./prisma-on-connection.ts");
  await yieldToEventLoop();
  const made = sharePrismaClient();
  await yieldToEventLoop();
  await made.client.$connect();
  await yieldToEventLoop();
  return made;
}
