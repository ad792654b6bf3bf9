import type pg from "pg";

import type { QueuedIntent } from "./intents.ts";
import type { PrismaGateway, TransactionPrisma } from "./prisma-on-connection.ts";

/** SQL to run; with a name it is prepared once on each connection: for hot statements. */
export type Statement = string | { readonly name: string; readonly text: string };

/** Rows from one SQL statement. */
export interface Sql {
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** Who hears of what a transaction leaves behind, once it has committed. */
export interface Outbox {
  listener?: (intents: readonly QueuedIntent[]) => void;
  /** Told of every organization whose log has grown. */
  onEvents?: (realmId: number) => void;
}

/** What the transactions of one database share. */
export interface TransactionParts {
  readonly pool: pg.Pool;
  readonly gateway: PrismaGateway;
  readonly outbox: Outbox;
}

/** An open transaction: SQL and Prisma on one connection, and what is to happen once it has committed. */
export class Tx implements Sql {
  readonly #connection: pg.PoolClient;
  readonly #gateway: PrismaGateway;
  readonly #withCommit: Array<{ statement: Statement; values: readonly unknown[] }> = [];
  readonly #afterCommit: Array<() => void> = [];
  readonly #outbox: Outbox;
  #savepoints = 0;
  #prisma: ReturnType<PrismaGateway["enter"]> | undefined;

  constructor(connection: pg.PoolClient, { gateway, outbox }: TransactionParts) {
    this.#connection = connection;
    this.#gateway = gateway;
    this.#outbox = outbox;
  }

  async rows<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return (await run(this.#connection, statement, values)).rows as Row[];
  }

  /** How many rows the statement changed. */
  async count(statement: Statement, values: readonly unknown[] = []): Promise<number> {
    return (await run(this.#connection, statement, values)).rowCount ?? 0;
  }

  /** The first row, or undefined. */
  async first<Row>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0];
  }

  /** Prisma Client on this transaction's connection. Its statements and ours must not overlap in time. */
  async prisma(): Promise<TransactionPrisma> {
    this.#prisma ??= this.#gateway.enter(this.#connection);
    return (await this.#prisma).prisma;
  }

  /**
   * Keeps a statement for the end: it is sent together with the COMMIT, so that a lock which it takes is held for no
   * longer than the server needs. Its rows go nowhere; its failure is the transaction's.
   */
  sendWithCommit(statement: Statement, values: readonly unknown[] = []): void {
    this.#withCommit.push({ statement, values });
  }

  /** Runs `hook` once the transaction has committed, never when it rolled back. It must not throw. */
  afterCommit(hook: () => void): void {
    this.#afterCommit.push(hook);
  }

  /** @internal called by `emit`: the outbox hears of it after the commit. */
  eventsEmitted(realmId: number): void {
    this.afterCommit(() => this.#outbox.onEvents?.(realmId));
  }

  /** @internal called by `recordIntents`: the outbox hears of them after the commit. */
  intentsRecorded(intents: readonly QueuedIntent[]): void {
    this.afterCommit(() => this.#outbox.listener?.(intents));
  }

  /**
   * Runs `work` behind a savepoint, with what it kept for the end: when either fails, all of it and its after-commit
   * hooks are undone and the error goes on to the caller, while the transaction stays usable.
   */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${++this.#savepoints}`;
    const hooks = this.#afterCommit.length;
    const kept = this.#withCommit.length;
    await this.rows(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      await Promise.all(this.#sendKept(kept));
      await this.rows(`RELEASE SAVEPOINT ${name}`);
      return result;
    } catch (error) {
      this.#afterCommit.length = hooks;
      this.#withCommit.length = Math.min(this.#withCommit.length, kept);
      await this.rows(`ROLLBACK TO SAVEPOINT ${name}`);
      throw error;
    }
  }

  /** @internal called by {@link transaction} before it ends: Prisma lets go of the connection. */
  async ending(): Promise<void> {
    await (await this.#prisma)?.leave();
  }

  /**
   * @internal called by {@link transaction}
   * @returns whether it committed: PostgreSQL rolls back, without an error, where a statement had failed
   */
  async commit(): Promise<boolean> {
    const kept = this.#sendKept(0);
    const [{ command }] = await Promise.all([this.#connection.query("COMMIT"), ...kept]);
    return command === "COMMIT";
  }

  /** Sends the statements kept for the end from number `first` on. */
  #sendKept(first: number): Array<Promise<unknown>> {
    return this.#withCommit
      .splice(first)
      .map(({ statement, values }) => this.rows(statement, values));
  }

  /** @internal called by {@link transaction} */
  committed(): void {
    for (const hook of this.#afterCommit) hook();
  }
}

function run(
  connection: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  const config =
    typeof statement === "string"
      ? { text: statement, values: [...values] }
      : { name: statement.name, text: statement.text, values: [...values] };
  return (connection as pg.Pool).query(config);
}

/** SQL outside any transaction, for single reads and writes. */
export function poolSql(pool: pg.Pool): Sql {
  return {
    rows: async <Row>(statement: Statement, values: readonly unknown[] = []) =>
      (await run(pool, statement, values)).rows as Row[],
  };
}

export interface TransactionOptions {
  /** `read committed` unless given. */
  mode?: "read committed" | "repeatable read" | "repeatable read read only";
  /** How often a transaction that lost to another one is run again; 3 unless given. */
  attempts?: number;
}

/**
 * Runs `work` in one transaction and commits it; any error rolls everything back and goes on to the caller.
 * A serialization failure or a deadlock runs `work` again from the start: it must have no effect outside.
 */
export async function transaction<T>(
  parts: TransactionParts,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(parts, work, options.mode ?? "read committed");
    } catch (error) {
      if (attempt >= (options.attempts ?? 3) || !lostToAnother(error)) throw error;
    }
  }
}

async function once<T>(
  parts: TransactionParts,
  work: (tx: Tx) => Promise<T>,
  mode: string,
): Promise<T> {
  const connection = await parts.pool.connect();
  const tx = new Tx(connection, parts);
  let broken: Error | undefined;
  try {
    // It goes out with the first statement. It fails only where the connection does, and then they all do.
    const begun = connection.query(
      mode === "read committed" ? "BEGIN" : `BEGIN ISOLATION LEVEL ${mode.toUpperCase()}`,
    );
    const [result] = await Promise.all([work(tx), begun]);
    await tx.ending();
    if (!(await tx.commit()))
      throw new Error(
        "a transaction went on after a statement had failed, whose error was swallowed",
      );
    tx.committed();
    return result;
  } catch (error) {
    await tx.ending().catch(() => {});
    await connection.query("ROLLBACK").catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** The SQLSTATE of an error of the database, Prisma's wrapping removed; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  for (let e = error; e && typeof e === "object"; e = inner(e)) {
    const { code: own, originalCode } = e as { code?: unknown; originalCode?: unknown };
    const code = originalCode ?? own;
    // No class begins with E, nor with P and a digit but 0: EPIPE is the system's error, P2034 is Prisma's.
    if (typeof code === "string" && /^(?!E|P[1-9])[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** What an error wraps: its cause, or what Prisma keeps of the driver's. */
function inner(error: object): unknown {
  const { cause, meta } = error as { cause?: unknown; meta?: { driverAdapterError?: unknown } };
  return meta?.driverAdapterError ?? cause;
}

/** Serialization failure, deadlock: the other transaction won, this one may try again. */
function lostToAnother(error: unknown): boolean {
  const code = sqlState(error);
  return code === "40001" || code === "40P01";
}

/**
 * Whether an error says nothing about the work itself: the connection broke, another transaction won,
 * a lock was not had in time, the server is stopping. The same work may succeed later.
 */
export function isPassing(error: unknown): boolean {
  const code = sqlState(error);
  if (code === undefined) {
    const name = (error as { code?: unknown } | undefined)?.code;
    return (
      (typeof name === "string" && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)/.test(name)) ||
      (error instanceof Error &&
        /connection|timeout exceeded|read timeout|Client was closed/i.test(error.message))
    );
  }
  // Class 08: connection; 53: resources; 57P: shutdown and cancel; 55P03: lock timeout.
  return /^(08|53|57|40)/.test(code) || code === "55P03";
}
