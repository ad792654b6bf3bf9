import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { applyMigrations, connectDatabase, type Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";
import { Redis } from "ioredis";
import pg from "pg";

/** Where the queues of a run lie. */
export type BackendName = "postgres" | "redis";

/** A database of one bench, migrated, and the queues' store that belongs to it. */
export interface BenchDatabase {
  readonly url: string;
  readonly db: Database;
  /** Given when the queues are on Redis. */
  readonly redisUrl: string | undefined;
  drop(): Promise<void>;
}

const postgres = process.env["CARILLON_BENCH_DATABASE_URL"];
const redis = process.env["CARILLON_BENCH_REDIS_URL"];

/** The stores to measure on: Redis only where it is installed. */
export const backends: readonly BackendName[] = redis ? ["postgres", "redis"] : ["postgres"];

/**
 * A fresh database, with every table of ours and of the queues.
 * @throws Error that says how benches are run, where there is no server
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

/** One that was made before on the same server, with PostgreSQL's queues, by the name it was given. */
export async function openBenchDatabase(name: string): Promise<BenchDatabase | undefined> {
  const named = await administer(`SELECT FROM pg_database WHERE datname = '${name}'`);
  return named.rowCount === 0 ? undefined : connectTo(name, undefined);
}

/** Gives it a name to be opened by; nobody may be connected to it. */
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
    throw new Error("there is no PostgreSQL for the bench: run it with `npm run bench`");
  const url = new URL(postgres);
  url.pathname = `/${database}`;
  return url.href;
}

/** A vacuum may be at work in it for a while: only a superuser, or a drop without force, ends that. */
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

/** What the servers call themselves. */
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

async function administer(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
