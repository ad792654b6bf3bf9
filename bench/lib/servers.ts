import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { applyMigrations, connectDatabase, type Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";
import { Redis } from "ioredis";
import pg from "pg";

/** Where the queues of a run are stored. */
export type BackendName = "postgres" | "redis";

/** A migrated database of one bench, with its queue store. */
export interface BenchDatabase {
  readonly url: string;
  readonly db: Database;
  /** Set when the queues are on Redis. */
  readonly redisUrl: string | undefined;
  drop(): Promise<void>;
}

const postgres = process.env["CARILLON_BENCH_DATABASE_URL"];
const redis = process.env["CARILLON_BENCH_REDIS_URL"];

/** The queue stores to measure: Redis only if it is installed. */
export const backends: readonly BackendName[] = redis ? ["postgres", "redis"] : ["postgres"];

/**
 * Creates a database with Carillon's tables and those of the queues.
 * @throws Error if the environment names no PostgreSQL server
 */
export async function createBenchDatabase(backend: BackendName): Promise<BenchDatabase> {
  const name = `carillon_bench_${randomBytes(6).toString("hex")}`;
  const url = addressOf(name);
  await administer(`CREATE DATABASE ${name}`);
  const redisUrl = backend === "redis" ? redis : undefined;
  await applyMigrations(url);
  await prepareQueues({ databaseUrl: url, redisUrl, log: silentLogger });
  return connectTo(name, redisUrl);
}

/** Opens an existing database by its name, with queues on PostgreSQL. Returns undefined if there is none. */
export async function openBenchDatabase(name: string): Promise<BenchDatabase | undefined> {
  const named = await administer(`SELECT FROM pg_database WHERE datname = '${name}'`);
  return named.rowCount === 0 ? undefined : connectTo(name, undefined);
}

/** Renames the database, so that {@link openBenchDatabase} can open it later. No other connection to it may be open. */
export async function renameBenchDatabase({ url, db }: BenchDatabase, name: string): Promise<void> {
  await db.close();
  await administer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${name}`);
}

async function connectTo(name: string, redisUrl: string | undefined): Promise<BenchDatabase> {
  const url = addressOf(name);
  const db = await connectDatabase(url, { max: 4, name: "bench", statementTimeoutMs: 0 });
  return {
    url,
    db,
    redisUrl,
    async drop() {
      await db.close();
      await dropDatabase(name);
    },
  };
}

function addressOf(database: string): string {
  if (!postgres)
    throw new Error("CARILLON_BENCH_DATABASE_URL is not set; run benches with `npm run bench`");
  const url = new URL(postgres);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * Drops a database. Retries while an autovacuum runs: WITH (FORCE) ends an autovacuum only for a superuser, so every
 * second attempt is a plain DROP, which ends it for other users, too.
 */
async function dropDatabase(name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await administer(`DROP DATABASE ${name}${attempt % 2 === 1 ? " WITH (FORCE)" : ""}`);
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await pause(100);
    }
  }
}

/** Returns the versions of PostgreSQL and Redis. */
export async function serverVersions(): Promise<{ postgres: string; redis: string | undefined }> {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  await client.end();
  if (!redis) return { postgres: rows[0]!.server_version, redis: undefined };
  const connection = new Redis(redis);
  const info = await connection.info("server");
  connection.disconnect();
  return { postgres: rows[0]!.server_version, redis: /redis_version:(\S+)/.exec(info)?.[1] };
}

/** Runs a statement on the server's own database. */
async function administer(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
