import type pg from "pg";

import { holdConnection } from "./held-connection.ts";
import type { Lifetime } from "./lifetime.ts";
import { run, type Sql } from "./sql.ts";
import { sqlState } from "./sql-errors.ts";
import { arrived, type Statement } from "./statement.ts";

/** SQL outside any transaction, for single reads and writes. */
export function poolSql(pool: pg.Pool): Sql {
  return {
    rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
      const { rows } = await run(pool, statement, values);
      return arrived<Row>(statement, rows);
    },
  };
}

/** A statement outside any transaction, which ends with the lifetime. */
export async function rowsWithin<Row>(
  pool: pg.Pool,
  lifetime: Lifetime,
  statement: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const held = await holdConnection(pool, lifetime);
  let result: pg.QueryResult;
  try {
    result = await run(held.connection, statement, values);
  } catch (error) {
    if (held.cutOff) lifetime.uncertain = true;
    if (sqlState(error) === undefined) held.spoil(error as Error);
    throw lifetime.reason ?? error;
  } finally {
    await held.release();
  }
  return arrived<Row>(statement, result.rows);
}
