import type { BareStatements } from "./bare-statements.ts";
import type { Columns, RowOf } from "./column.ts";

/** A statement that each connection prepares once, by its name. */
export interface NamedStatement<Row = unknown> {
  readonly name: string;
  readonly text: string;
  /** Of its rows, where it is declared with {@link statement}. */
  readonly columns?: Columns;
  /** Where the name has several texts: connections do not keep it then. */
  readonly unprepared?: boolean;
  /** Never there: it carries the type of its rows. */
  readonly rowType?: Row;
}

/** SQL to run. */
export type Statement<Row = unknown> = NamedStatement<Row> | BareStatements[keyof BareStatements];

/** A statement whose rows are declared. */
export interface DeclaredStatement<Row, C extends Columns = Columns> extends NamedStatement<Row> {
  readonly columns: C;
}

type Declared = DeclaredStatement<unknown>;

/** By their names; what is composed in several texts. */
const declared = new Map<string, () => readonly Declared[]>();

/**
 * @internal notes a declaration
 * @throws Error where another statement has the name: a connection would run that one's text
 */
export function declare(name: string, texts: () => readonly Declared[]): void {
  if (declared.has(name)) throw new Error(`there are two statements named ${name}`);
  declared.set(name, texts);
}

/**
 * Declares a statement with the columns of its rows, once: their TypeScript type follows from it, and a test compares
 * it with what PostgreSQL says of the statement (test/contract/statements.test.ts). Nothing is checked where it runs.
 * @param row the columns, in any order; `{}` for a statement without rows
 * @throws Error where another statement has the name
 */
export function statement<C extends Columns>(declaration: {
  readonly name: string;
  readonly text: string;
  readonly row: C;
}): DeclaredStatement<RowOf<C>, C> {
  const { name, text, row } = declaration;
  const made = { name, text, columns: row };
  declare(name, () => [made]);
  return made;
}

/** Every statement that the modules which are loaded have declared, in each of its texts. */
export function declaredStatements(): readonly Declared[] {
  return [...declared.values()].flatMap((texts) => texts());
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
