import { isTracing } from "@carillon/kit";
import type pg from "pg";

import { PoolClient } from "./pool-client.ts";
import type { Statement } from "./statement.ts";
import { tracedStatement } from "./traced-statement.ts";

/** Runs SQL statements. */
export interface Sql {
  rows<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
}

/** @internal Sends a statement, or a transaction command, to a connection. */
export function run(
  connection: pg.Pool | pg.PoolClient,
  statement: Statement | string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult> {
  // pg prepares a statement that has a name.
  const config =
    typeof statement === "string"
      ? { text: statement, values: [...values] }
      : {
          name: statement.unprepared ? undefined : statement.name,
          text: statement.text,
          values: [...values],
        };
  if (connection instanceof PoolClient) connection.gatherWrites();
  const send = () => (connection as pg.Pool).query(config);
  return isTracing() ? tracedStatement(statement, send) : send();
}
