import type { Sql } from "./sql.ts";
import type { NamedStatement } from "./statement.ts";

/** What one batch deleted; the next batch continues at `last`, the time of its youngest row. */
export interface DeletedRows {
  readonly count: number;
  readonly last: string | null;
}

/**
 * Returns the text of a statement that deletes the oldest rows of a table, for {@link deleteOldest}. Reads the index on the
 * time from `$1` on: the index keeps the entries of deleted rows until VACUUM removes them, and no batch may scan them
 * again. Skips locked rows. Deletes by an array, because a join may scan the whole table.
 * @param time a column with an index
 * @param condition SQL: which rows are old
 */
export function oldestRows(table: string, time: string, condition: string): string {
  return `WITH old AS (
      SELECT id, ${time} FROM ${table} WHERE ${condition} AND ${time} >= $1::timestamptz
      ORDER BY ${time} LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM ${table} WHERE id = ANY (ARRAY(SELECT id FROM old))
    )
    SELECT count(*)::int AS count, max(${time})::text AS last FROM old`;
}

/**
 * Deletes one batch of old rows, the oldest first.
 * @param statement its text is from {@link oldestRows}
 * @param size maximum number of rows
 * @param before the previous batch; by default, starts with the oldest row
 */
export async function deleteOldest(
  sql: Sql,
  statement: NamedStatement<DeletedRows>,
  size: number,
  before?: DeletedRows,
): Promise<DeletedRows> {
  const [deleted] = await sql.rows(statement, [before?.last ?? "-infinity", size]);
  return deleted ?? { count: 0, last: null };
}
