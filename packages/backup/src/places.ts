import type pg from "pg";

import { foreignLine, readCopy, readSequence } from "./format.ts";
import { listSequences, listTables } from "./tables.ts";

/** What a backup may write to: what its own migrations have made, and nothing of the server's. */
export interface Places {
  readonly tables: ReadonlyMap<string, readonly string[]>;
  readonly sequences: ReadonlySet<string>;
}

/** Those of the database. The ledger of migrations is written by who applies them. */
export async function placesOf(client: pg.Client): Promise<Places> {
  const tables = await listTables(client, ["_prisma_migrations"]);
  return {
    tables: new Map(tables.map(({ name, columns }) => [name, columns])),
    sequences: new Set(await listSequences(client)),
  };
}

/**
 * The statement that the rows after a line of a backup go to.
 * @throws StartupError where the line names what no backup of ours has
 */
export function copyInto(line: string, { tables }: Places): string {
  const { table = "", columns = [] } = readCopy(line) ?? {};
  const known = tables.get(table);
  if (!known || !columns.every((column) => known.includes(column))) throw foreignLine();
  return `COPY public."${table}" (${columns.map((column) => `"${column}"`).join(", ")}) FROM STDIN`;
}

/**
 * The statement that a line of a backup sets a sequence by.
 * @throws StartupError like `copyInto`
 */
export function setSequence(line: string, { sequences }: Places): string {
  const { sequence = "", value = "1", called = false } = readSequence(line) ?? {};
  if (!sequences.has(sequence)) throw foreignLine();
  return `SELECT setval('public."${sequence}"', ${value}, ${called})`;
}
