import type pg from "pg";

import { unknownLineError, readCopy, readSequence } from "./format.ts";
import { listSequences, listTables } from "./tables.ts";

/** Tables and sequences that a backup may write: those created by its own migrations, never the server's. */
export interface RestoreTargets {
  readonly tables: ReadonlyMap<string, readonly string[]>;
  readonly sequences: ReadonlySet<string>;
}

/** Lists the tables and sequences of the database, except the table of applied migrations. */
export async function listRestoreTargets(client: pg.Client): Promise<RestoreTargets> {
  const tables = await listTables(client, ["_prisma_migrations"]);
  return {
    tables: new Map(tables.map(({ name, columns }) => [name, columns])),
    sequences: new Set(await listSequences(client)),
  };
}

/**
 * Returns the COPY statement for the rows after a line of a backup.
 * @throws StartupError when the line names an unknown table or column
 */
export function copyInto(line: string, { tables }: RestoreTargets): string {
  const { table = "", columns = [] } = readCopy(line) ?? {};
  const known = tables.get(table);
  if (!known || !columns.every((column) => known.includes(column))) throw unknownLineError();
  return `COPY public."${table}" (${columns.map((column) => `"${column}"`).join(", ")}) FROM STDIN`;
}

/**
 * Returns the statement by which a line of a backup sets a sequence.
 * @throws StartupError when the line names an unknown sequence
 */
export function setSequence(line: string, { sequences }: RestoreTargets): string {
  const { sequence = "", value = "1", called = false } = readSequence(line) ?? {};
  if (!sequences.has(sequence)) throw unknownLineError();
  return `SELECT setval('public."${sequence}"', ${value}, ${called})`;
}
