import { randomBytes } from "node:crypto";
import { connectDatabase, type Database } from "@carillon/db";
import { checkNulls } from "./check-nulls.ts";
import { later } from "./later.ts";
import { postgresUrl, withDatabase } from "./servers.ts";
import { longTimeouts } from "./long-timeouts.ts";
import { administer, dropDatabase, templateDatabase } from "./template.ts";

/** A migrated database for one test file. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** A pool on it, closed by `drop`. */
  connect(options?: Partial<PoolOptions>): Promise<Database>;
  /** Closes the pools, terminates other connections, and drops the database. */
  drop(): Promise<void>;
}

checkNulls();

type PoolOptions = Parameters<typeof connectDatabase>[1];

/** Copies the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = await templateDatabase();
  const name = `carillon_test_${randomBytes(8).toString("hex")}`;
  await administer((client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`),
  );
  const url = withDatabase(postgresUrl(), name);
  const open = new Set<Database>();
  return {
    name,
    url,
    async connect(options) {
      const db = await connectDatabase(url, {
        max: 10,
        name: "test",
        checkLocks: true,
        ...longTimeouts,
        ...options,
      });
      const close = db.close.bind(db);
      db.close = async () => {
        if (open.delete(db)) await close();
      };
      open.add(db);
      return db;
    },
    async drop() {
      await Promise.all([...open].map((db) => db.close()));
      await dropDatabase(name);
    },
  };
}

/**
 * Provides a database for the tests of the enclosing `describe`, created before and dropped after them. They share it: the
 * factories make everything unique.
 */
export function useDatabase(options?: Partial<PoolOptions>): Database {
  const { value, set } = later<Database>("the database");
  let database: TestDatabase | undefined;
  before("make a database", async () => {
    database = await createTestDatabase();
    set(await database.connect(options));
  });
  after("drop the database", async () => {
    set(undefined);
    await database?.drop();
  });
  return value;
}
