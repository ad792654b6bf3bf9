import type { Columns, RowOf } from "./column.ts";
import type { Sql } from "./sql.ts";
import { declare, type DeclaredStatement } from "./statement.ts";

/** A text that was put together for one call, and what stands for its placeholders. */
export interface Composition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Declares a statement whose text depends on who asks for what. Its columns are the same whatever the text; connections
 * do not keep it. The test that describes declared statements describes it as it is for each of the examples.
 * @param declaration `examples`: what `compose` makes, for each way in which the text can turn out
 * @returns runs it for some arguments
 */
export function composed<C extends Columns, Args extends readonly unknown[]>(declaration: {
  readonly name: string;
  readonly row: C;
  readonly compose: (...args: Args) => Composition;
  readonly examples: (compose: (...args: Args) => Composition) => readonly Composition[];
}): (sql: Sql, ...args: Args) => Promise<Array<RowOf<C>>> {
  const { name, row, compose, examples } = declaration;
  const made = (text: string): DeclaredStatement<RowOf<C>, C> => ({
    name,
    text,
    columns: row,
    unprepared: true,
  });
  declare(name, () => examples(compose).map(({ text }) => made(text)));
  return async (sql, ...args) => {
    const { text, values } = compose(...args);
    return sql.rows(made(text), values);
  };
}
