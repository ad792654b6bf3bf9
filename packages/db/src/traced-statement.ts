import { traced } from "@carillon/kit";

import type { Statement } from "./statement.ts";

/**
 * Runs a statement within a span. The span has the name of the statement, or the first word of a text without a name.
 * It contains neither the text nor the values, because these hold what people write.
 */
export function tracedStatement<T>(
  statement: Statement | string,
  send: () => Promise<T>,
): Promise<T> {
  const name = typeof statement === "string" ? firstWord(statement) : statement.name;
  return traced({ name, kind: "client", attributes: { "db.system.name": "postgresql" } }, send);
}

function firstWord(text: string): string {
  return /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? "SQL";
}
