import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { applyMigrations, readMigrations } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";
import pg from "pg";
import { postgresUrl, withDatabase } from "./servers.ts";
import { longTimeouts } from "./long-timeouts.ts";

/**
 * The template of the tests' databases: one migrated database. Migrating takes 250 ms, a copy 22 ms (`FILE_COPY`; 140 ms
 * with `WAL_LOG`, both measured without fsync).
 */

const templateLock = 72_707_370;

let template: Promise<string> | undefined;

/** The template's name. It is created once, also by concurrent processes. */
export function templateDatabase(): Promise<string> {
  return (template ??= ensureTemplate());
}

/** Runs statements on the tests' server, outside of any test's database. */
export async function administer<T>(
  work: (client: pg.Client) => Promise<T>,
  url = postgresUrl(),
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Drops a database of the tests' server and terminates its connections. `DROP DATABASE … WITH (FORCE)` fails while an
 * autovacuum worker is connected, unless a superuser runs it; a plain DROP waits for the worker.
 */
export async function dropDatabase(name: string): Promise<void> {
  await administer(async (client) => {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (!rowCount) return;
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND usename = current_user AND pid <> pg_backend_pid()`,
      [name],
    );
    await client.query(`DROP DATABASE ${name}`);
  });
}

async function ensureTemplate(): Promise<string> {
  const name = `carillon_template_${await fingerprint()}`;
  await administer(async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [templateLock]);
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (rowCount) return;
    // Built under another name until it is complete, so that a killed run leaves no incomplete template.
    const unfinished = `${name}_unfinished`;
    await dropDatabase(unfinished);
    await client.query(`CREATE DATABASE ${unfinished}`);
    const url = withDatabase(postgresUrl(), unfinished);
    await applyMigrations(url);
    await prepareQueues({ databaseUrl: url, log: silentLogger, connectMs: longTimeouts.connectMs });
    await administer((inside) => inside.query("VACUUM (FREEZE, ANALYZE)"), url);
    // The first connection to a database writes the cache of its catalogs to a file, which copies of the database get.
    await administer((inside) => inside.query("SELECT 1"), url);
    await client.query(`ALTER DATABASE ${unfinished} ALLOW_CONNECTIONS false`);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return name;
}

/** The template's inputs: our migrations, and BullMQ's by the version that the queue package pins. */
async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const { name, checksum } of await readMigrations()) hash.update(`${name}\n${checksum}\n`);
  for (const file of ["package.json", "src/postgres.ts"]) {
    hash.update(await readFile(new URL(`../../queue/${file}`, import.meta.url)));
  }
  return hash.digest("hex").slice(0, 16);
}
