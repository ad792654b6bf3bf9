import type { Database, Sql, Statement, Tx } from "@carillon/db";

/** One statement of a transaction, before it is sent. */
export interface AboutToRun {
  readonly name: string;
  /** The ids that this transaction has read so far. */
  readonly ids: ReadonlySet<number>;
}

/**
 * Wraps a database so that chosen statements fail: PostgreSQL raises an error instead of running them.
 * @param failure the SQLSTATE of the error, or undefined to run the statement
 */
export function failingDatabase(
  db: Database,
  failure: (statement: AboutToRun) => string | undefined,
): Database {
  return {
    url: db.url,
    pool: db.pool,
    postCommit: db.postCommit,
    get prisma() {
      return db.prisma;
    },
    loadPrisma: () => db.loadPrisma(),
    rows: ((statement: Statement, values?: readonly unknown[]) =>
      db.rows(statement, values)) as Sql["rows"],
    transaction: (work, options) =>
      db.transaction((tx) => {
        intercept(tx, failure);
        return work(tx);
      }, options),
    within: (deadline) => failingDatabase(db.within(deadline), failure),
    answers: () => db.answers(),
    close: async () => {},
  };
}

function intercept(tx: Tx, failure: (statement: AboutToRun) => string | undefined): void {
  const ids = new Set<number>();
  const rows = tx.rows.bind(tx) as (
    statement: Statement,
    values?: readonly unknown[],
  ) => Promise<object[]>;
  const failing = async (statement: Statement, values?: readonly unknown[]) => {
    const name = typeof statement === "string" ? statement : statement.name;
    const code = failure({ name, ids });
    const found = code === undefined ? await rows(statement, values) : await rows(raising(code));
    for (const row of found) if ("id" in row) ids.add(Number(row.id));
    return found;
  };
  tx.rows = failing as unknown as Tx["rows"];
}

function raising(code: string): string {
  return `DO $$ BEGIN RAISE EXCEPTION 'a test wants it' USING ERRCODE = '${code}'; END $$`;
}
