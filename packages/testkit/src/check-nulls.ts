import { checkRowsWith } from "@carillon/db";

/**
 * Has every row of every declared statement that this process runs looked at: a null where the declaration has none
 * fails the statement. PostgreSQL says of a table's columns whether they may be null, not of expressions.
 */
export function checkNulls(): void {
  checkRowsWith(({ name, columns = {} }, rows) => {
    for (const [key, { nullable }] of Object.entries(columns)) {
      if (nullable) continue;
      const wrong = rows.some((row) => (row as Record<string, unknown>)[key] === null);
      if (wrong) throw new Error(`${name}: ${key} is null, which its declaration rules out`);
    }
  });
}
