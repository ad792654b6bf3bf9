import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { type IndexChange, readIndexChanges } from "./index-changes.ts";

/** The migrations of one database. */
export interface MigrationSet {
  /** The name of the database in backups. */
  readonly database: "chat" | "bouncer";
  readonly folder: URL;
  /** The variable that names the database, for errors. */
  readonly variable: string;
  /** The command that applies them, for errors. */
  readonly command: string;
}

/** The migrations of the chat server. */
export const chatMigrations: MigrationSet = {
  database: "chat",
  folder: new URL("../../../prisma/migrations/", import.meta.url),
  variable: "DATABASE_URL",
  command: "npm run migrate",
};

export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
  /** What it does outside a transaction, one statement at a time; undefined for a migration that is one transaction. */
  readonly indexChanges: readonly IndexChange[] | undefined;
}

/**
 * Reads the migrations that this build knows, in their order: the chat server's unless a set is given.
 * @throws Error when a migration outside a transaction does anything but create and drop indexes concurrently
 */
export async function readMigrations(set: MigrationSet = chatMigrations): Promise<Migration[]> {
  const folder = fileURLToPath(set.folder);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      const checksum = createHash("sha256").update(sql).digest("hex");
      return { name, sql, checksum, indexChanges: readIndexChanges(name, sql) };
    }),
  );
}
