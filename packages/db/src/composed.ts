import type { Columns, RowOf } from "./column.ts";
import type { Sql } from "./sql.ts";
import { declare, type DeclaredStatement } from "./statement.ts";

/** A text that was composed for one call, and the values of its placeholders. */
export interface Composition {
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * Whether the text recurs and one plan is good for all values: then connections prepare it. Otherwise it is planned for
   * its values each time.
   */
  readonly recurs?: boolean;
}

/** How many texts of one declaration connections prepare: each costs some 50 KB in each backend of the server. */
const mostPrepared = 40;

/**
 * Declares a statement whose text depends on the request. All its texts have the same columns; connections prepare only
 * texts that recur. The test that describes declared statements describes each of the examples.
 * @param declaration `examples`: what `compose` returns, for each form that the text can take
 * @returns a function that composes the statement for some arguments and runs it
 */
export function composed<C extends Columns, Args extends readonly unknown[]>(declaration: {
  readonly name: string;
  readonly row: C;
  readonly compose: (...args: Args) => Composition;
  readonly examples: (compose: (...args: Args) => Composition) => readonly Composition[];
}): (sql: Sql, ...args: Args) => Promise<Array<RowOf<C>>> {
  const { name, row, compose, examples } = declaration;
  const unprepared = (text: string): DeclaredStatement<RowOf<C>, C> => ({
    name,
    text,
    columns: row,
    unprepared: true,
  });
  const prepared = new Map<string, DeclaredStatement<RowOf<C>, C>>();

  /** Names the first texts; a client that sends odd ones cannot make connections prepare more. */
  function recurring(text: string): DeclaredStatement<RowOf<C>, C> {
    const known = prepared.get(text);
    if (known) return known;
    if (prepared.size === mostPrepared) return unprepared(text);
    const made = { name: `${name}-${prepared.size + 1}`, text, columns: row };
    prepared.set(text, made);
    return made;
  }

  declare(name, () => examples(compose).map(({ text }) => unprepared(text)));
  return async (sql, ...args) => {
    const { text, values, recurs } = compose(...args);
    return sql.rows(recurs ? recurring(text) : unprepared(text), values);
  };
}
