import { setImmediate as yieldToEventLoop } from "node:timers/promises";

import { whenNeeded } from "@carillon/kit";
import type pg from "pg";

import type { PrismaClient } from "./generated/client.ts";
import type { SharedPrismaClient, TransactionPrisma } from "./prisma-on-connection.ts";

/** A pool's Prisma Client, which is loaded on first use. */
export interface LazyPrismaClient {
  /** Resolves when `client` is loaded. */
  load(): Promise<void>;
  /** @throws Error before it is loaded */
  readonly client: PrismaClient;
  /** Enters the transaction of `connection`; `leave` must be called before that transaction ends. */
  enter(
    connection: pg.PoolClient,
  ): Promise<{ prisma: TransactionPrisma; leave: () => Promise<void> }>;
  close(): Promise<void>;
}

/**
 * Creates the client of a pool. Prisma Client with its adapter, model and compiler takes 70 MB, and most processes hardly
 * use it: a dashboard never does, a worker only for commands to the scheduling bot. Loading takes 300 ms of processor time,
 * in pieces that let other work run.
 */
export function lazyPrismaClient(pool: pg.Pool): LazyPrismaClient {
  let loaded: SharedPrismaClient | undefined;
  const client = whenNeeded(async () => (loaded = await load(pool)));
  return {
    load: async () => void (await client()),
    get client() {
      if (!loaded) throw new Error("Prisma Client is not loaded yet: await loadPrisma() first");
      return loaded.client;
    },
    enter: async (connection) => (loaded ?? (await client())).enter(connection),
    close: async () => {
      await loaded?.client.$disconnect();
    },
  };
}

async function load(pool: pg.Pool): Promise<SharedPrismaClient> {
  const { sharePrismaClient } = await import("./prisma-on-connection.ts");
  await yieldToEventLoop();
  const made = sharePrismaClient(pool);
  await yieldToEventLoop();
  await made.client.$connect();
  await yieldToEventLoop();
  return made;
}
