import { setImmediate as otherTurns } from "node:timers/promises";

import { whenNeeded } from "@carillon/kit";
import type pg from "pg";

import type { PrismaClient } from "./generated/client.ts";
import type { PrismaGateway, TransactionPrisma } from "./prisma-on-connection.ts";

/** The way to a pool's Prisma Client, which is loaded for the first who asks. */
export interface PrismaWhenNeeded {
  /** Resolves when `client` is there. */
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
 * Prisma Client with its adapter, its model and its compiler takes 70 MB, and most processes hardly ever ask for it: a
 * worker and a dashboard never do. Loading takes 300 ms of processor time, in pieces between which others have their
 * turn.
 */
export function prismaWhenNeeded(pool: pg.Pool): PrismaWhenNeeded {
  let loaded: PrismaGateway | undefined;
  const gateway = whenNeeded(async () => (loaded = await load(pool)));
  return {
    load: async () => void (await gateway()),
    get client() {
      if (!loaded) throw new Error("Prisma Client is not loaded yet: await loadPrisma() first");
      return loaded.client;
    },
    enter: async (connection) => (loaded ?? (await gateway())).enter(connection),
    close: async () => {
      await loaded?.client.$disconnect();
    },
  };
}

async function load(pool: pg.Pool): Promise<PrismaGateway> {
  const { prismaGateway } = await import("./prisma-on-connection.ts");
  await otherTurns();
  const made = prismaGateway(pool);
  await otherTurns();
  await made.client.$connect();
  await otherTurns();
  return made;
}
