/**
 * The rows of declared statements by their names, as PostgreSQL describes them. `npm run generate` writes them to
 * `statement-rows.ts` of each package.
 */
export interface StatementRows {}

/** JSON of a shape that PostgreSQL does not know; see {@link typed}. */
export type Json = NonNullable<unknown>;

/** What PostgreSQL cannot know of a column. */
export class Override<Value, Null> {
  readonly isNotNull: boolean;
  /** For the compiler only; `never` where the described type holds. */
  declare readonly value: Value;
  /** For the compiler only; `never` where the column is not null. */
  declare readonly null: Null;

  constructor(isNotNull: boolean) {
    this.isNotNull = isNotNull;
  }

  /** This override for a column that is never null. */
  get notNull(): Override<Value, never> {
    return new Override(true);
  }
}

/** Overrides a column that is never null, though neither its table nor the plan says so. */
export const notNull: Override<never, never> = new Override(true);

/**
 * Overrides the type of a column's values: JSON of a known shape, a few words, another package's type of an id. A
 * nullable column stays nullable; `typed<Value>().notNull` is not.
 */
export function typed<Value>(): Override<Value, null> {
  return new Override(false);
}

/** Overrides by column. */
export type Overrides<Row> = {
  readonly [Column in keyof Row]?: Override<NonNullable<Row[Column]>, null>;
};

type OverriddenValue<Described, O> =
  O extends Override<infer Value, infer Null>
    ? ([Value] extends [never] ? NonNullable<Described> : Value) | Extract<Described, Null>
    : Described;

/** A described row with its overrides. */
export type Overridden<Row, O> = {
  readonly [Column in keyof Row]: Column extends keyof O
    ? OverriddenValue<Row[Column], O[Column]>
    : Row[Column];
};

/** The name of a statement whose rows are described; for any other name, what to do about it. */
export type DescribedName<Name> = Name extends keyof StatementRows
  ? Name
  : "a name that PostgreSQL has described: run `npm run generate`";

/** The described row of a statement; of several names, what their rows have in common. */
export type DescribedRow<Name> = [Name] extends [keyof StatementRows]
  ? { [Column in keyof StatementRows[Name]]: StatementRows[Name][Column] }
  : never;
