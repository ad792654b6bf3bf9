import { column, composed, type Sql } from "@carillon/db";

import { windowExamples } from "./window-examples.ts";
import type { WindowStatement } from "./window-statement.ts";

const found = composed({
  name: "messages-found",
  row: { id: column.bigint },
  compose: (statement: WindowStatement) => statement,
  examples: windowExamples,
});

/** The ids that a statement finds. */
export async function idsOf(sql: Sql, statement: WindowStatement): Promise<number[]> {
  return (await found(sql, statement)).map(({ id }) => id);
}
