import type pg from "pg";

import { ask } from "./connect.ts";
import type { Row } from "./map-record.ts";
import { RecordProblem } from "./new-ids.ts";

/** Reads the columns of all tables that can be written. */
export async function readColumns(
  client: pg.Client,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await ask<{ name: string; columns: string[] }>(
    client,
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
       AND NOT a.attisdropped AND a.attgenerated = '' GROUP BY c.relname`,
  );
  return new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
}

/**
 * Inserts rows, those with the same columns by one statement. A column that a row does not have gets its default.
 * @param onConflict what follows the rows
 */
export async function insertRows(
  client: pg.Client,
  table: string,
  rows: readonly Row[],
  { columns, onConflict = "" }: { columns: ReadonlySet<string>; onConflict?: string },
): Promise<void> {
  const byColumns = new Map<string, Row[]>();
  for (const row of rows) {
    const names = Object.keys(row).sort();
    const unknown = names.find((name) => !columns.has(name));
    if (unknown !== undefined)
      throw new RecordProblem(`${table} has no column ${JSON.stringify(unknown)}`);
    const key = names.map((name) => `"${name}"`).join(", ");
    const same = byColumns.get(key);
    if (same) same.push(row);
    else byColumns.set(key, [row]);
  }
  for (const [names, same] of byColumns)
    await ask(
      client,
      `INSERT INTO "${table}" (${names})
       SELECT ${names} FROM json_populate_recordset(NULL::"${table}", $1::json) ${onConflict}`,
      [JSON.stringify(same)],
    );
}
