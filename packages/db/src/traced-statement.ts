import { traced } from "@carillon/kit";

import type { Statement } from "./statement.ts";

/**
 * Runs a statement within a span that has its name, or the first word of a statement without one. Neither its text nor its
 * values are recorded: they hold what people write.
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
