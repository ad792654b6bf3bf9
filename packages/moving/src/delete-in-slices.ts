import type pg from "pg";

import { ask, inTransaction } from "./connect.ts";

/** Maximum rows that one transaction deletes. */
const maxRows = 5_000;

/**
 * Milliseconds that a transaction should take. After a longer one, the next slice has half as many rows, and after one of
 * less than half the time, twice as many. The first slice has one row, because some rows take long: for each deleted account
 * PostgreSQL looks for references in 30 tables, and reads some of them completely.
 */
const targetMs = 500;

/**
 * Makes the planner read each slice in the order of an index, instead of reading all rows that are left and sorting them. It
 * has no statistics of tables that an import has just filled.
 */
export const planByIndex = ["seqscan", "bitmapscan", "sort", "incremental_sort"]
  .map((name) => `SET LOCAL enable_${name} = off`)
  .join("; ");

export interface Slicing {
  /** Maximum rows that one transaction deletes; default 5,000. */
  readonly rows?: number | undefined;
  /** Called after each transaction with the number of rows that are deleted so far. */
  readonly progress?: ((what: string, done: number) => void) | undefined;
}

/** Rows of a table that are to be deleted. */
export interface DoomedRows {
  readonly table: string;
  /** Columns that identify a row, as an index has them. */
  readonly key: readonly string[];
  /** SQL: the condition for rows of `t`. `$1` is `value`; `$2` and `$4` are bounds of the first column of the key. */
  readonly condition: string;
  readonly value: number;
  /** The least and the greatest value of the first column of the key. Rows of others outside are not read. */
  readonly range: KeyRange;
  /** SQL: a statement to run before the rows of `slice` are deleted. `slice` has the columns of the key. */
  readonly before?: string | undefined;
}

export interface KeyRange {
  readonly from: number | string;
  readonly to: number | string;
}

/**
 * Deletes rows in the order of their keys, each slice in a transaction. After a break, a second call deletes the rows that
 * are left.
 */
export async function deleteInSlices(
  client: pg.Client,
  doomed: DoomedRows,
  { rows = maxRows, progress }: Slicing = {},
): Promise<void> {
  const first = deletionOf(doomed, false);
  const next = deletionOf(doomed, true);
  let limit = 1;
  let last: readonly string[] | undefined;
  for (let done = 0; ;) {
    const startedAt = performance.now();
    const { from, to } = doomed.range;
    const values = last ? [last[0], limit, to, ...last] : [from, limit, to];
    const [slice] = await inTransaction(client, async () => {
      await ask(client, planByIndex);
      return ask<Slice>(client, last ? next : first, [doomed.value, ...values]);
    });
    const ms = performance.now() - startedAt;
    if (!slice) return;
    done += slice.count;
    progress?.(`delete ${doomed.table}`, done);
    if (slice.count < limit) return;
    last = slice.last;
    if (ms > targetMs) limit = Math.max(1, Math.floor(limit / 2));
    else if (ms < targetMs / 2) limit = Math.min(rows, limit * 2);
  }
}

interface Slice {
  readonly count: number;
  /** The key of the last row. */
  readonly last: readonly string[];
}

/**
 * SQL: deletes at most `$3` rows from `$2` to `$4`, after the key `$5, …` if `isNext`, and returns the {@link Slice} if there are
 * any.
 */
export function deletionOf({ table, key, condition, before }: DoomedRows, isNext: boolean): string {
  const list = (one: (column: string) => string) => key.map((name) => one(`"${name}"`)).join(", ");
  const columns = list((column) => column);
  const after = `AND (${columns}) > (${key.map((_, place) => `$${place + 5}`).join(", ")})`;
  return `WITH slice AS MATERIALIZED (
      SELECT ${columns}, ctid FROM "${table}" t WHERE "${key[0]}" BETWEEN $2 AND $4 AND ${condition} ${isNext ? after : ""}
      ORDER BY ${columns} LIMIT $3
    ), before AS (${before ?? "SELECT"}),
    deleted AS (DELETE FROM "${table}" WHERE ctid = ANY(ARRAY(SELECT ctid FROM slice)))
    SELECT (SELECT count(*)::int FROM slice) AS count, ARRAY[${list((column) => `${column}::text`)}] AS last
    FROM slice ORDER BY ${list((column) => `slice.${column} DESC`)} LIMIT 1`;
}
