import { statementsOf, tableOf } from "./removals.ts";

/**
 * Returns the existing tables that a migration locks against writers until its transaction ends: tables that it alters, and
 * tables to which it adds references.
 * @param sql the migration's whole text
 */
export function lockedTables(sql: string): string[] {
  const statements = statementsOf(sql);
  const own = new Set(statements.map((text) => tableOf(/^create table /i, text)));
  const locked = statements.flatMap((text) => [
    tableOf(/^alter table /i, text),
    ...[...text.matchAll(/\breferences "?(\w+)/gi)].map(([, table]) => table),
  ]);
  return [...new Set(locked)].filter((table) => table !== undefined && !own.has(table)) as string[];
}
