import { checkRowsWith } from "@carillon/db";
import { readNotNull } from "./row-types.ts";

/**
 * Checks every row of every declared statement that this process runs: a null that the type of the row rules out fails the
 * statement. PostgreSQL describes the nullability of table columns only, not that of expressions.
 */
export function checkNulls(): void {
  const described = readNotNull();
  checkRowsWith(({ name, overrides = {} }, rows) => {
    // The prepared texts of a composed statement have numbers.
    const columnsNotNull = described.get(name) ?? described.get(name.replace(/-\d+$/, "")) ?? [];
    const notNull = [
      ...columnsNotNull,
      ...Object.keys(overrides).filter((key) => overrides[key]?.isNotNull),
    ];
    for (const key of notNull) {
      const wrong = rows.some((row) => (row as Record<string, unknown>)[key] === null);
      if (wrong) throw new Error(`${name}: ${key} is null, which its type rules out`);
    }
  });
}
