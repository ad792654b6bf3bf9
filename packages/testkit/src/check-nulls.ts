import { checkRowsWith } from "@carillon/db";

/**
 * Checks every row of every declared statement that this process runs: an undeclared null fails the statement. PostgreSQL
 * knows the nullability of table columns, not of expressions.
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
