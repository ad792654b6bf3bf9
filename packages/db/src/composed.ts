import type { Columns, RowOf } from "./column.ts";
import type { Sql } from "./sql.ts";
import { declare, type DeclaredStatement } from "./statement.ts";

/** A text that was put together for one call, and what stands for its placeholders. */
export interface Composition {
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * Whether the text is asked for again and again, and one plan serves all values: connections prepare it. Otherwise
   * it is planned for its values each time.
   */
  readonly recurs?: boolean;
}

/** Texts of one declaration that connections prepare: each takes some 50 KB of each connection of the server. */
const mostPrepared = 40;

/**
 * Declares a statement whose text depends on who asks for what. Its columns are the same whatever the text; connections
 * keep no text that does not recur. The test that describes declared statements describes it as it is for each of the
 * examples.
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
  const unprepared = (text: string): DeclaredStatement<RowOf<C>, C> => ({
    name,
    text,
    columns: row,
    unprepared: true,
  });
  const prepared = new Map<string, DeclaredStatement<RowOf<C>, C>>();

  /** The first texts that come have a name; a client that sends odd ones cannot make connections keep more. */
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
