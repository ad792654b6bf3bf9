import type pg from "pg";

import { holdConnection } from "./held-connection.ts";
import type { Lifetime } from "./lifetime.ts";
import { run, type Sql } from "./sql.ts";
import { sqlState } from "./sql-errors.ts";
import { arrived, type Statement } from "./statement.ts";

/** SQL outside any transaction, for single reads and writes; they end with the lifetime, if there is one. */
export function poolSql(pool: pg.Pool, lifetime?: Lifetime): Sql {
  return {
    rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
      const { rows } = await (lifetime
        ? runWithin(pool, lifetime, statement, values)
        : run(pool, statement, values));
      return arrived<Row>(statement, rows);
    },
  };
}

async function runWithin(
  pool: pg.Pool,
  lifetime: Lifetime,
  statement: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  const held = await holdConnection(pool, lifetime);
  try {
    return await run(held.connection, statement, values);
  } catch (error) {
    if (held.cutOff) lifetime.uncertain = true;
    if (sqlState(error) === undefined) held.spoil(error as Error);
    throw lifetime.reason ?? error;
  } finally {
    await held.release();
  }
}
