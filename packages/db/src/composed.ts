import type { Sql } from "./sql.ts";
import { declare, type NamedStatement } from "./statement.ts";
import type { DescribedName, DescribedRow, Overridden, Overrides } from "./row-types.ts";

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

type Compose<Args extends readonly unknown[]> = (...args: Args) => Composition;

/** Composes a declared statement for some arguments, and runs it. */
export type ComposedStatement<Args extends readonly unknown[], Row> = (
  sql: Sql,
  ...args: Args
) => Promise<Row[]>;

/** How many texts of one declaration connections prepare: each costs some 50 KB in each backend of the server. */
const maxPrepared = 40;

/**
 * Declares a statement whose text depends on the request. All its texts have the same columns; connections prepare only
 * texts that recur. PostgreSQL describes each of the examples to `npm run generate`.
 * @param declaration `overrides`: what PostgreSQL cannot know of a column; `examples`: what `compose` returns, for each
 *   form that the text can take
 * @returns a function that composes the statement for some arguments and runs it
 */
export function composed<
  const Name extends string,
  Args extends readonly unknown[],
  const O extends Overrides<DescribedRow<Name>> = {},
>({
  name,
  overrides,
  compose,
  examples,
}: {
  readonly name: DescribedName<Name>;
  readonly overrides?: O;
  readonly compose: Compose<Args>;
  readonly examples: (compose: Compose<Args>) => readonly Composition[];
}): ComposedStatement<Args, Overridden<DescribedRow<Name>, O>> {
  type Made = NamedStatement<Overridden<DescribedRow<Name>, O>>;
  const declared = { name, ...(overrides && { overrides }) };
  const unprepared = (text: string): Made => ({ ...declared, text, unprepared: true });
  const prepared = new Map<string, Made>();

  /**
   * Returns the statement of a recurring text. Only the first {@link maxPrepared} texts are prepared, so that requests
   * cannot make connections prepare any number of them.
   */
  function recurring(text: string): Made {
    const known = prepared.get(text);
    if (known) return known;
    if (prepared.size === maxPrepared) return unprepared(text);
    const made = { ...declared, name: `${name}-${prepared.size + 1}`, text };
    prepared.set(text, made);
    return made;
  }

  declare(name, () => examples(compose).map(({ text }) => unprepared(text)));
  return async (sql, ...args) => {
    const { text, values, recurs } = compose(...args);
    return sql.rows(recurs ? recurring(text) : unprepared(text), values);
  };
}
