import type pg from "pg";

import { holdConnection } from "./held-connection.ts";
import type { RequestDeadline } from "./request-deadline.ts";
import { run, type Sql } from "./sql.ts";
import { sqlState } from "./sql-errors.ts";
import { checkedRows, type Statement } from "./statement.ts";

/** Runs single statements outside a transaction. */
export function poolSql(pool: pg.Pool): Sql {
  return {
    rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
      const { rows } = await run(pool, statement, values);
      return checkedRows<Row>(statement, rows);
    },
  };
}

/** Runs a statement outside a transaction; it is cancelled when the deadline ends. */
export async function rowsWithin<Row>(
  pool: pg.Pool,
  deadline: RequestDeadline,
  statement: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const held = await holdConnection(pool, deadline);
  let result: pg.QueryResult;
  try {
    result = await run(held.connection, statement, values);
  } catch (error) {
    if (held.cutOff) deadline.uncertain = true;
    if (sqlState(error) === undefined) held.spoil(error as Error);
    throw deadline.reason ?? error;
  } finally {
    await held.release();
  }
  return checkedRows<Row>(statement, result.rows);
}
