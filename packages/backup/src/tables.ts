import type pg from "pg";

import { ask } from "./connect.ts";

/** A table with the columns to be written. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Tables whose rows mean nothing in another database: event queues, running processes, counted requests, sign-ins in
 * progress, unfinished uploads, whose parts are not copied. The applied migrations are in the header.
 */
const excludedTables = [
  "event_queue",
  "process_heartbeats",
  "rate_hits",
  "rate_hit",
  "resumable_uploads",
  "resumable_parts",
  "sso_attempts",
  "_prisma_migrations",
];

/**
 * Lists the tables whose rows are in a backup.
 * @param except tables to leave out
 */
export function listTables(
  client: pg.Client,
  except: readonly string[] = excludedTables,
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

/** Lists the names of the sequences. */
export async function listSequences(client: pg.Client): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    client,
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}
