import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { databaseHosts, databaseName, StartupError } from "@carillon/kit";
import pg from "pg";

import { checkServer } from "./check-server.ts";
import { DatabaseClient } from "./database-client.ts";
import { NoWritableServer } from "./failover-connection.ts";
import { applyIndexChanges, applyIndexChangesInTransaction } from "./index-changes.ts";
import {
  chatMigrations,
  type Migration,
  type MigrationSet,
  readMigrations,
} from "./migration-files.ts";

/**
 * Migrations in Prisma's folder format, recorded in Prisma's own table with its checksums, so that
 * `prisma migrate deploy` would agree; applied by SQL alone, because Prisma's engine is a download.
 */

/** The advisory lock that Prisma's engine takes while it migrates: two migrators never run at once. */
const migrationLock = 72_707_369;

/** Milliseconds between two tries to take the lock. */
const lockRetryMs = 100;

const ledger = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

/**
 * Brings the database to this build's state. Each migration is one transaction, unless its first line says that it runs
 * outside one (`index-changes.ts`). Several processes may call it at once: one applies, the others wait and find nothing
 * to do.
 * @returns the names of the migrations that were applied
 * @throws StartupError when the database cannot be reached or may not be changed by its user, or holds a migration
 *   that this build cannot run on
 */
export async function applyMigrations(
  databaseUrl: string,
  set: MigrationSet = chatMigrations,
): Promise<string[]> {
  const client = await connect(databaseUrl, set);
  try {
    if (set === chatMigrations) await checkServer(client);
    await takeLock(client);
    await client.query(ledger);
    const pending = pendingMigrations(set, await readMigrations(set), await applied(client));
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === "42501")
      throw unreachable(databaseUrl, error, set.variable);
    throw error;
  } finally {
    // Closing the connection gives up its lock and whatever a failed migration left open.
    await client.end();
  }
}

/**
 * Polls for the lock instead of waiting in a statement. The migrator that holds the lock may run CREATE INDEX
 * CONCURRENTLY, which waits for all earlier statements to end: one that waits for this lock would be a deadlock.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_lock($1) AS locked",
      [migrationLock],
    );
    if (rows[0]?.locked) return;
    await delay(lockRetryMs);
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (migration.indexChanges) {
    await applyIndexChanges(client, migration.indexChanges);
    await record(client, migration);
    return;
  }
  await client.query("BEGIN");
  await client.query(migration.sql);
  await record(client, migration);
  await client.query("COMMIT");
}

async function record(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/**
 * Applies only these migrations to an empty database, in the open transaction, to create the tables of a backup.
 * @throws StartupError when this build does not know a migration, or knows another text of it
 */
export async function replayMigrations(
  client: pg.Client,
  wanted: readonly Pick<Migration, "name" | "checksum">[],
  set: MigrationSet = chatMigrations,
): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
  await client.query(ledger);
  const known = await readMigrations(set);
  for (const { name, checksum } of wanted) {
    const migration = known.find((one) => one.name === name);
    if (migration?.checksum !== checksum) {
      const problem = migration ? "had another text" : "is unknown to this build";
      throw new StartupError(`migration ${name} ${problem}: use the build that made the backup`);
    }
    if (migration.indexChanges)
      await applyIndexChangesInTransaction(client, migration.indexChanges);
    else await client.query(migration.sql);
    await record(client, migration);
  }
}

/**
 * Checks that this build can run on the database.
 * @throws StartupError unless it has the migrations of this build, and no newer one that this build cannot run on
 */
export async function checkMigrations(
  sql: { query: pg.Pool["query"] },
  set: MigrationSet = chatMigrations,
): Promise<void> {
  const rows = await applied(sql).catch((error: { code?: string }) => {
    if (error.code === "42P01") return [];
    throw error;
  });
  const pending = pendingMigrations(set, await readMigrations(set), rows);
  if (pending.length > 0) {
    throw new StartupError(
      `${set.variable}: the database lacks ${pending.length} migration(s), first ${pending[0]?.name}: run \`${set.command}\``,
    );
  }
}

const state = `SELECT md5(concat_ws(' ',
  (SELECT string_agg(name::regclass::oid::text, ' ' ORDER BY place)
   FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place)),
  (SELECT string_agg(concat_ws(' ', migration_name, checksum, finished_at), ' ' ORDER BY migration_name)
   FROM "_prisma_migrations" WHERE rolled_back_at IS NULL))) AS state`;

/**
 * Returns a digest of the database's migrations: it changes when a migration is applied, or when the database is
 * created again.
 * @param tables names of tables that other migrators have created
 * @returns undefined if the migrations have not been applied, or one of the tables is missing
 * @throws StartupError when the database cannot be reached
 */
export async function stateOfTables(
  databaseUrl: string,
  tables: readonly string[],
): Promise<string | undefined> {
  const client = await connect(databaseUrl, chatMigrations);
  try {
    const { rows } = await client.query<{ state: string }>(state, [tables]);
    return rows[0]?.state;
  } catch (error) {
    if (error instanceof pg.DatabaseError && ["42P01", "3F000"].includes(error.code ?? "")) return;
    throw error;
  } finally {
    await client.end();
  }
}

type Applied = { migration_name: string; checksum: string; finished: boolean };

async function applied(sql: { query: pg.Pool["query"] }): Promise<Applied[]> {
  const { rows } = await sql.query<Applied>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM "_prisma_migrations" WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows;
}

/**
 * Returns why this build cannot run on a database with a newer build's migration; undefined if it can. Most migrations
 * only add. One named `0042_after_0040_…` removes what builds without migration 0040 use (docs/decisions/040).
 */
function incompatibility(newer: string, known: Migration[]): string | undefined {
  const required = /^\d+_after_(\d+)_/.exec(newer)?.[1];
  const lacked =
    required !== undefined && !known.some(({ name }) => name.startsWith(`${required}_`));
  return lacked
    ? `takes away what this build needs: start a build that has ${required}`
    : undefined;
}

/**
 * Returns the migrations that are still to be applied.
 * @throws StartupError when the database holds a migration that this build cannot run on
 */
function pendingMigrations(
  { variable }: MigrationSet,
  known: Migration[],
  rows: Applied[],
): Migration[] {
  const byName = new Map(rows.map((row) => [row.migration_name, row]));
  for (const row of rows) {
    const migration = known.find((candidate) => candidate.name === row.migration_name);
    const problem = !row.finished
      ? "began and never finished: repair the database, then delete its row from _prisma_migrations"
      : !migration
        ? incompatibility(row.migration_name, known)
        : migration.checksum !== row.checksum
          ? "was applied with another text than this build has: use the build that applied it"
          : undefined;
    if (problem) throw new StartupError(`${variable}: migration ${row.migration_name} ${problem}`);
  }
  return known.filter((migration) => !byName.has(migration.name));
}

async function connect(databaseUrl: string, { variable }: MigrationSet): Promise<pg.Client> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    application_name: "carillon migrate",
  });
  client.on("error", () => {});
  await client.connect().catch((error: Error) => {
    throw unreachable(databaseUrl, error, variable);
  });
  return client;
}

/** Returns the start-up error for a database that cannot be reached; its text never shows the password. */
export function unreachable(
  databaseUrl: string,
  error: Error,
  variable = chatMigrations.variable,
): StartupError {
  if (error instanceof NoWritableServer) {
    return new StartupError(
      `${variable}: none of its servers accepts writes: ${error.refusals.join(", ")}; promote a standby, or name the server that is the primary`,
    );
  }
  const hosts = databaseHosts(databaseUrl).map(({ host, port }) => `${host}:${port}`);
  const where = `${hosts.join(",")}/${databaseName(databaseUrl)}`;
  const reason = (error as { code?: string }).code ?? error.message;
  return new StartupError(
    `${variable}: ${refusals[reason] ?? "no PostgreSQL answers at"} ${where} (${reason})`,
  );
}

/** Refusals of a server that answers, by SQLSTATE. */
const refusals: Record<string, string> = {
  "08P01":
    "a pooler refuses the settings of sessions: if it is in transaction mode, set DATABASE_DIRECT_URL to the address of PostgreSQL itself, otherwise let the pooler ignore these settings:",
  "3D000": "there is no such database:",
  "28P01": "user and password are not accepted at",
  "28000": "the user is not accepted at",
  "42501": "the user must own the database, or have the right to create tables in it:",
};
