import type pg from "pg";

import { ask } from "./connect.ts";

/** A table, with the columns that have to be written. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Tables whose rows mean nothing in another database: who listens, which processes run, who came how often. The ledger
 * of migrations is in the first line.
 */
const leftOut = [
  "event_queue",
  "process_heartbeats",
  "rate_hits",
  "rate_hit",
  "_prisma_migrations",
];

/**
 * The tables whose rows a backup has.
 * @param except those that are not listed
 */
export function listTables(
  client: pg.Client,
  except: readonly string[] = leftOut,
): Promise<Table[]> {
  return ask<Table>(
    client,
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     GROUP BY c.relname ORDER BY c.relname`,
    [except],
  );
}

/** The sequences, by their names. */
export async function listSequences(client: pg.Client): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    client,
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}
