import type { Columns, RowOf } from "./column.ts";

/** A statement that each connection prepares once, by its name. */
export interface NamedStatement<Row = unknown> {
  readonly name: string;
  readonly text: string;
  /** Of its rows, where it is declared with {@link statement}. */
  readonly columns?: Columns;
  /** Never there: it carries the type of its rows. */
  readonly rowType?: Row;
}

/** SQL to run; what is hot or set-based has a name. */
export type Statement<Row = unknown> = string | NamedStatement<Row>;

/** A statement whose rows are declared. */
export interface DeclaredStatement<Row, C extends Columns = Columns> extends NamedStatement<Row> {
  readonly columns: C;
}

const declared = new Map<string, DeclaredStatement<unknown>>();

/**
 * Declares a statement with the columns of its rows, once: their TypeScript type follows from it, and a test compares
 * it with what PostgreSQL says of the statement (test/contract/statements.test.ts). Nothing is checked where it runs.
 * @param row the columns, in any order; `{}` for a statement without rows
 * @throws Error where another statement has the name: a connection would run that one's text
 */
export function statement<C extends Columns>(declaration: {
  readonly name: string;
  readonly text: string;
  readonly row: C;
}): DeclaredStatement<RowOf<C>, C> {
  const { name, text, row } = declaration;
  if (declared.has(name)) throw new Error(`there are two statements named ${name}`);
  const made = { name, text, columns: row };
  declared.set(name, made);
  return made;
}

/** Every statement that the modules which are loaded have declared. */
export function declaredStatements(): ReadonlyArray<DeclaredStatement<unknown>> {
  return [...declared.values()];
}

type RowCheck = (statement: NamedStatement, rows: readonly object[]) => void;

let check: RowCheck | undefined;

/** Has every row of a declared statement looked at, in this process: for tests. It is off unless somebody asks. */
export function checkRowsWith(rowCheck: RowCheck): void {
  check = rowCheck;
}

/** @internal the rows, looked at where a test has asked for it */
export function arrived<Row>(statement: Statement, rows: unknown[]): Row[] {
  if (check && typeof statement !== "string" && statement.columns)
    check(statement, rows as object[]);
  return rows as Row[];
}
