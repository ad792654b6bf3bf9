import type { BareStatements } from "./bare-statements.ts";
import type { Columns, RowOf } from "./column.ts";

/** A statement that each connection prepares once, by its name. */
export interface NamedStatement<Row = unknown> {
  readonly name: string;
  readonly text: string;
  /** Of its rows; there for statements declared with {@link statement}. */
  readonly columns?: Columns;
  /** Whether connections do not prepare it, because its name has several texts. */
  readonly unprepared?: boolean;
  /** For the compiler only: the type of its rows. */
  readonly rowType?: Row;
}

/** SQL to run. */
export type Statement<Row = unknown> = NamedStatement<Row> | BareStatements[keyof BareStatements];

/** A statement whose rows are declared. */
export interface DeclaredStatement<Row, C extends Columns = Columns> extends NamedStatement<Row> {
  readonly columns: C;
}

type Declared = DeclaredStatement<unknown>;

/** All declarations by name; a composed one has several texts. */
const declared = new Map<string, () => readonly Declared[]>();

/**
 * @internal Registers a declaration.
 * @throws Error when another statement has the name: a connection would run the other one's text
 */
export function declare(name: string, texts: () => readonly Declared[]): void {
  if (declared.has(name)) throw new Error(`there are two statements named ${name}`);
  declared.set(name, texts);
}

/**
 * Declares a statement with the columns of its rows. The TypeScript type of the rows follows from the columns, and
 * test/contract/statements.test.ts compares them with PostgreSQL's description of the statement. Nothing is checked at
 * run time.
 * @param row the columns, in any order; `{}` for a statement without rows
 * @throws Error when another statement has the name
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

/** Returns every statement that the loaded modules declare, in each of its texts. */
export function declaredStatements(): readonly Declared[] {
  return [...declared.values()].flatMap((texts) => texts());
}

type RowCheck = (statement: NamedStatement, rows: readonly object[]) => void;

let check: RowCheck | undefined;

/** Checks every row of a declared statement with `rowCheck`, in this process: for tests. */
export function checkRowsWith(rowCheck: RowCheck): void {
  check = rowCheck;
}

/** @internal Returns the rows, checked if a test asked for it. */
export function arrived<Row>(statement: Statement, rows: unknown[]): Row[] {
  if (check && typeof statement !== "string" && statement.columns)
    check(statement, rows as object[]);
  return rows as Row[];
}
