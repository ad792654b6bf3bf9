/** The values of one statement that is put together from parts: each part adds its own and gets the placeholder. */
export class SqlValues {
  readonly list: unknown[] = [];

  /** @returns the placeholder, with its type: `$3::int[]` */
  add(value: unknown, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

/** A part of a statement: SQL whose values go to `values`. */
export type Fragment = (values: SqlValues) => string;

/** All of them, or `true`. */
export function allOf(fragments: readonly Fragment[], values: SqlValues): string {
  return fragments.map((fragment) => `(${fragment(values)})`).join(" AND ") || "true";
}
