/**
 * Collects the values of a statement that is composed from parts: each part adds its values and gets their
 * placeholders.
 */
export class SqlValues {
  readonly list: unknown[] = [];

  /** Adds a value, and returns its placeholder with the type: `$3::int[]`. */
  add(value: unknown, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

/** A part of a statement: SQL that adds its values to `values`. */
export type Fragment = (values: SqlValues) => string;

/** Joins conditions with AND; `true` if there are none. */
export function allOf(fragments: readonly Fragment[], values: SqlValues): string {
  return fragments.map((fragment) => `(${fragment(values)})`).join(" AND ") || "true";
}
