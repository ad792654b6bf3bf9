import type { Database, Sql, Statement, Tx } from "@carillon/db";

/** One statement before it is sent. */
export interface AboutToRun {
  readonly name: string;
  /** The ids among its parameters, and those that its transaction has read so far. */
  readonly ids: ReadonlySet<number>;
}

/** Returns the SQLSTATE of the error with which the statement fails, or undefined to run the statement. */
export type Failure = (statement: AboutToRun) => string | undefined | Promise<undefined>;

/** Wraps a database so that chosen statements fail: PostgreSQL raises an error instead of running them. */
export function failingDatabase(db: Database, failure: Failure): Database {
  return {
    url: db.url,
    directUrl: db.directUrl,
    pool: db.pool,
    postCommit: db.postCommit,
    get prisma() {
      return db.prisma;
    },
    rows: (async (statement: Statement, values: readonly unknown[] = []) => {
      const code = await failure({ name: nameOf(statement), ids: idsAmong(values) });
      return code === undefined ? db.rows(statement, values) : db.rows(raising(code));
    }) as unknown as Sql["rows"],
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

function intercept(tx: Tx, failure: Failure): void {
  const ids = new Set<number>();
  /** Asks without a pause unless the answer needs one: pipelined statements keep their order. */
  const run = async <T>(
    statement: Statement,
    values: readonly unknown[],
    send: (failing?: string) => Promise<T>,
  ) => {
    const known = new Set([...ids, ...idsAmong(values)]);
    const code = failure({ name: nameOf(statement), ids: known });
    if (code instanceof Promise) await code;
    return typeof code === "string" ? send(raising(code)) : send();
  };
  const rows = tx.rows.bind(tx) as (
    statement: Statement,
    values?: readonly unknown[],
  ) => Promise<object[]>;
  const count = tx.count.bind(tx);
  const failing = async (statement: Statement, values: readonly unknown[] = []) => {
    const found = await run(statement, values, (error) =>
      error === undefined ? rows(statement, values) : rows(error),
    );
    for (const row of found) if ("id" in row) ids.add(Number(row.id));
    return found;
  };
  tx.rows = failing as unknown as Tx["rows"];
  const counting = (statement: Statement, values: readonly unknown[] = []) =>
    run(statement, values, (error) =>
      error === undefined ? count(statement, values) : count(error),
    );
  tx.count = counting;
}

function nameOf(statement: Statement): string {
  return typeof statement === "string" ? statement : statement.name;
}

/** Bytes of the head of a packed array, and of the length before each of its items. */
const headBytes = 20;
const lengthBytes = 4;
const bigintBytes = 8;

/** Returns the whole numbers among the parameters, those of packed arrays of `bigint` too. */
function idsAmong(values: readonly unknown[]): Set<number> {
  const ids = new Set<number>();
  for (const value of values.flat()) {
    if (typeof value === "number") ids.add(value);
    if (!Buffer.isBuffer(value)) continue;
    const step = lengthBytes + bigintBytes;
    for (let at = headBytes + lengthBytes; at + bigintBytes <= value.length; at += step)
      ids.add(Number(value.readBigInt64BE(at)));
  }
  return ids;
}

function raising(code: string): string {
  return `DO $$ BEGIN RAISE EXCEPTION 'a test wants it' USING ERRCODE = '${code}'; END $$`;
}
