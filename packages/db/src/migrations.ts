import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { StartupError } from "@carillon/kit";
import pg from "pg";

import { checkServer } from "./check-server.ts";

/**
 * Migrations in Prisma's folder format, recorded in Prisma's own table with its checksums, so that
 * `prisma migrate deploy` would agree; applied by SQL alone, because Prisma's engine is a download.
 */

/** The migrations of one database. */
export interface MigrationSet {
  /** Which database it is of, as backups say. */
  readonly database: "chat" | "bouncer";
  readonly folder: URL;
  /** The variable that names the database, for errors. */
  readonly variable: string;
  /** What applies them, for errors. */
  readonly command: string;
}

/** Those of the chat server. */
export const chatMigrations: MigrationSet = {
  database: "chat",
  folder: new URL("../../../prisma/migrations/", import.meta.url),
  variable: "DATABASE_URL",
  command: "npm run migrate",
};

/** The advisory lock that Prisma's engine takes while it migrates: two migrators never run at once. */
const migrationLock = 72_707_369;

export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file, in hex. */
  checksum: string;
}

/** The migrations that this build knows, in their order: the chat server's unless others are asked for. */
export async function readMigrations(set: MigrationSet = chatMigrations): Promise<Migration[]> {
  const folder = fileURLToPath(set.folder);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

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
 * Brings the database to this build's state; each migration is one transaction. Safe to run by several
 * processes at once: the others wait, then find nothing to do.
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
    await client.query("SELECT pg_advisory_lock($1)", [migrationLock]);
    await client.query(ledger);
    const pending = comparison(set, await readMigrations(set), await applied(client));
    for (const migration of pending) {
      await client.query("BEGIN");
      await apply(client, migration);
      await client.query("COMMIT");
    }
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

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query(sql);
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/**
 * Applies just these migrations to an empty database, in the transaction that is open: for what is restored into the
 * tables that they make.
 * @throws StartupError when this build does not know one of them as it was
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
    await apply(client, migration);
  }
}

/**
 * @throws StartupError unless the database has the migrations of this build, and no newer one that it cannot run on
 */
export async function checkMigrations(
  sql: { query: pg.Pool["query"] },
  set: MigrationSet = chatMigrations,
): Promise<void> {
  const rows = await applied(sql).catch((error: { code?: string }) => {
    if (error.code === "42P01") return [];
    throw error;
  });
  const pending = comparison(set, await readMigrations(set), rows);
  if (pending.length > 0) {
    throw new StartupError(
      `${set.variable}: the database lacks ${pending.length} migration(s), first ${pending[0]?.name}: run \`${set.command}\``,
    );
  }
}

const state = `SELECT md5(concat_ws(' ',
  (SELECT string_agg(name::regclass::oid::text, ' ' ORDER BY place) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place)),
  (SELECT string_agg(concat_ws(' ', migration_name, checksum, finished_at), ' ' ORDER BY migration_name)
   FROM "_prisma_migrations" WHERE rolled_back_at IS NULL))) AS state`;

/**
 * Digests what the database has been migrated to: it changes when a migration is applied or a database is made anew.
 * @param tables names of tables that other migrators have made in it
 * @returns undefined where the migrations have not been applied, or one of the tables is missing
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
 * Why a build cannot run on a migration of a newer one. It can on what only adds; `0042_after_0040_…` takes away what
 * builds without 0040 use (docs/decisions/040).
 */
function lackedFor(newer: string, known: Migration[]): string | undefined {
  const least = /^\d+_after_(\d+)_/.exec(newer)?.[1];
  const lacked = least !== undefined && !known.some(({ name }) => name.startsWith(`${least}_`));
  return lacked ? `takes away what this build needs: start a build that has ${least}` : undefined;
}

/** What is still to be applied; throws when the database has gone another way than this build. */
function comparison({ variable }: MigrationSet, known: Migration[], rows: Applied[]): Migration[] {
  const byName = new Map(rows.map((row) => [row.migration_name, row]));
  for (const row of rows) {
    const migration = known.find((candidate) => candidate.name === row.migration_name);
    const problem = !row.finished
      ? "began and never finished: mend the database, then delete its row from _prisma_migrations"
      : !migration
        ? lackedFor(row.migration_name, known)
        : migration.checksum !== row.checksum
          ? "was applied with another text than this build has: use the build that applied it"
          : undefined;
    if (problem) throw new StartupError(`${variable}: migration ${row.migration_name} ${problem}`);
  }
  return known.filter((migration) => !byName.has(migration.name));
}

async function connect(databaseUrl: string, { variable }: MigrationSet): Promise<pg.Client> {
  const client = new pg.Client({
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

/** The start-up error for a database that does not let us in; its line never shows the password. */
export function unreachable(
  databaseUrl: string,
  error: Error,
  variable = chatMigrations.variable,
): StartupError {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const where = `${hostname}:${port || "5432"}${pathname}`;
  const reason = (error as { code?: string }).code ?? error.message;
  return new StartupError(
    `${variable}: ${refusals[reason] ?? "no PostgreSQL answers at"} ${where} (${reason})`,
  );
}

/** What a server that answers may say, by its code. */
const refusals: Record<string, string> = {
  "3D000": "there is no such database:",
  "28P01": "user and password are not accepted at",
  "28000": "the user is not accepted at",
  "42501": "the user must own the database, or may at least create tables in it:",
};
