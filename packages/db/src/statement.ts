import type { BareStatements } from "./bare-statements.ts";
import type { DescribedName, DescribedRow, Overridden, Override, Overrides } from "./row-types.ts";

/** A statement that each connection prepares once, by its name. */
export interface NamedStatement<Row = unknown> {
  readonly name: string;
  readonly text: string;
  /** What PostgreSQL cannot know of its rows, by column; for tests, which check the rows that arrive. */
  readonly overrides?: Readonly<Record<string, Override<unknown, unknown> | undefined>>;
  /** Whether connections do not prepare it, because its name has several texts. */
  readonly unprepared?: boolean;
  /** For the compiler only: the type of its rows. */
  readonly rowType?: Row;
}

/** SQL to run. */
export type Statement<Row = unknown> = NamedStatement<Row> | BareStatements[keyof BareStatements];

/** A statement whose name gives its rows their type. */
export type DescribedStatement<Name, O = {}> = NamedStatement<Overridden<DescribedRow<Name>, O>>;

/** The rows of a declared statement, or of a composed one. */
export type RowOf<Declared> = Declared extends (...args: never[]) => Promise<Array<infer Row>>
  ? Row
  : Declared extends NamedStatement<infer Row>
    ? Row
    : never;

/** All declarations by name; a composed one has several texts. */
const declared = new Map<string, () => readonly NamedStatement[]>();

/**
 * @internal Registers a declaration.
 * @throws Error when another statement has the name: a connection would run the other one's text
 */
export function declare(name: string, texts: () => readonly NamedStatement[]): void {
  if (declared.has(name)) throw new Error(`there are two statements named ${name}`);
  declared.set(name, texts);
}

/**
 * Declares a statement. PostgreSQL describes its rows to `npm run generate`, and the name gives them their type.
 * @param declaration `overrides`: what PostgreSQL cannot know of a column
 * @throws Error when another statement has the name
 */
export function statement<
  const Name extends string,
  const O extends Overrides<DescribedRow<Name>> = {},
>(declaration: {
  readonly name: DescribedName<Name>;
  readonly text: string;
  readonly overrides?: O;
  // Not DescribedStatement: the compiler writes out the row for packages that do not know the name.
}): NamedStatement<Overridden<DescribedRow<Name>, O>> {
  declare(declaration.name, () => [declaration]);
  return declaration;
}

/** Returns every statement that the loaded modules declare, in each of its texts. */
export function declaredStatements(): readonly NamedStatement[] {
  return [...declared.values()].flatMap((texts) => texts());
}

type RowCheck = (statement: NamedStatement, rows: readonly object[]) => void;

let check: RowCheck | undefined;

/** Checks every row of a declared statement with `rowCheck`, in this process: for tests. */
export function checkRowsWith(rowCheck: RowCheck): void {
  check = rowCheck;
}

/** @internal Returns the rows, after the row check of a test, if one is set. */
export function checkedRows<Row>(statement: Statement, rows: unknown[]): Row[] {
  if (check && typeof statement !== "string") check(statement, rows as object[]);
  return rows as Row[];
}
