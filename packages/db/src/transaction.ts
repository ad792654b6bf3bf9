import type pg from "pg";

import { holdConnection, type HeldConnection } from "./held-connection.ts";
import type { QueuedIntent } from "./intents.ts";
import type { Lifetime } from "./lifetime.ts";
import type { PrismaGateway, TransactionPrisma } from "./prisma-on-connection.ts";
import { lostToAnother, sqlState } from "./sql-errors.ts";
import { arrived, type Statement } from "./statement.ts";

/** Rows from one SQL statement. */
export interface Sql {
  rows<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
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
  /**
   * Milliseconds after which the server ends any transaction by itself, infinite where it has not been asked to;
   * undefined where it does not know `transaction_timeout`, before PostgreSQL 17.
   */
  readonly transactionTimeoutMs: number | undefined;
}

/** Of every statement after one that has failed. */
const inFailedTransaction = "25P02";

/** An open transaction: SQL and Prisma on one connection, and what is to happen once it has committed. */
export class Tx implements Sql {
  readonly #connection: pg.PoolClient;
  readonly #gateway: PrismaGateway;
  readonly #withCommit: Array<{ statement: Statement; values: readonly unknown[] }> = [];
  readonly #afterCommit: Array<() => void> = [];
  readonly #outbox: Outbox;
  #savepoints = 0;
  #over: unknown;
  /** Why the server takes no further statements. */
  #failure: unknown;
  #prisma: ReturnType<PrismaGateway["enter"]> | undefined;

  constructor(connection: pg.PoolClient, { gateway, outbox }: TransactionParts) {
    this.#connection = connection;
    this.#gateway = gateway;
    this.#outbox = outbox;
  }

  async rows<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return arrived(statement, (await this.#run(statement, values)).rows);
  }

  /** How many rows the statement changed. */
  async count(statement: Statement, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  /** The first row, or undefined. */
  async first<Row>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0];
  }

  /** Prisma Client on this transaction's connection. Its statements and ours must not overlap in time. */
  async prisma(): Promise<TransactionPrisma> {
    if (this.#over) throw this.#over;
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
      this.#failure = undefined;
      throw error;
    }
  }

  /** What is in the pipeline behind a failure fails for it, and may be heard of first: the failure itself is told. */
  async #run(statement: Statement, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#over) throw this.#over;
    try {
      return await run(this.#connection, statement, values);
    } catch (error) {
      if (this.#failure !== undefined && sqlState(error) === inFailedTransaction)
        throw this.#failure;
      this.#failure = error;
      throw error;
    }
  }

  /** @internal called by {@link transaction}: the connection will be somebody else's, whatever still goes on here. */
  close(reason: unknown): void {
    this.#over = reason;
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

/** SQL outside any transaction, for single reads and writes; they end with the lifetime, if there is one. */
export function poolSql(pool: pg.Pool, lifetime?: Lifetime): Sql {
  return {
    rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
      const { rows } = await (lifetime
        ? runWithin(pool, lifetime, statement, values)
        : run(pool, statement, values));
      return arrived<Row>(statement, rows);
    },
  };
}

async function runWithin(
  pool: pg.Pool,
  lifetime: Lifetime,
  statement: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  const held = await holdConnection(pool, lifetime);
  try {
    return await run(held.connection, statement, values);
  } catch (error) {
    if (held.cutOff) lifetime.uncertain = true;
    if (sqlState(error) === undefined) held.spoil(error as Error);
    throw lifetime.reason ?? error;
  } finally {
    await held.release();
  }
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
 * @param lifetime at its end the transaction is rolled back, and its reason thrown
 */
export async function transaction<T>(
  parts: TransactionParts,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
  lifetime?: Lifetime,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(parts, work, options.mode ?? "read committed", lifetime);
    } catch (error) {
      if (attempt >= (options.attempts ?? 3) || !lostToAnother(error)) throw error;
    }
  }
}

async function once<T>(
  parts: TransactionParts,
  work: (tx: Tx) => Promise<T>,
  mode: NonNullable<TransactionOptions["mode"]>,
  lifetime: Lifetime | undefined,
): Promise<T> {
  const held = await holdConnection(parts.pool, lifetime);
  const tx = new Tx(held.connection, parts);
  try {
    // It goes out with the first statement. It fails only where the connection does, and then they all do.
    const begun = held.connection.query(begin(parts, mode, lifetime));
    const [result] = await held.unlessEnded(Promise.all([work(tx), begun]));
    await tx.ending();
    await commit(tx, held, lifetime);
    return result;
  } catch (error) {
    tx.close(lifetime?.reason ?? error);
    await tx.ending().catch(() => {});
    await held.rollBack();
    throw lifetime?.reason ?? error;
  } finally {
    await held.release();
  }
}

async function commit(tx: Tx, held: HeldConnection, lifetime: Lifetime | undefined): Promise<void> {
  held.committing();
  let committed: boolean;
  try {
    committed = await tx.commit();
  } catch (error) {
    if (lifetime && (held.cutOff || mayHaveCommitted(error))) lifetime.uncertain = true;
    throw error;
  }
  if (!committed)
    throw new Error(
      "a transaction went on after a statement had failed, whose error was swallowed",
    );
  if (lifetime) lifetime.commits++;
  tx.committed();
}

/** Whether a COMMIT that fails so may have come true: its connection broke, or the server stopped. */
function mayHaveCommitted(error: unknown): boolean {
  return /^(08|57P)/.test(sqlState(error) ?? "08");
}

/** Milliseconds by which the server's own limit comes later than ours, which can say what it is. */
const serverLater = 1_000;

/**
 * Where our own cancelling does not reach the server, its `transaction_timeout` sees to it that a COMMIT which is
 * under way does not come true long after we have given up. Setting it for a transaction costs a tenth of a short
 * one's time, so that those which begin right after their request have the connection's.
 */
function begin(
  { transactionTimeoutMs }: TransactionParts,
  mode: NonNullable<TransactionOptions["mode"]>,
  lifetime: Lifetime | undefined,
): string {
  if (mode !== "read committed") return `BEGIN ISOLATION LEVEL ${mode.toUpperCase()}`;
  const limit = Math.max(lifetime?.remainingMs ?? Number.POSITIVE_INFINITY, 0) + serverLater;
  if (transactionTimeoutMs === undefined || limit === Number.POSITIVE_INFINITY) return "BEGIN";
  if (limit + serverLater > transactionTimeoutMs) return "BEGIN";
  return `BEGIN; SET LOCAL transaction_timeout = ${Math.ceil(limit)}`;
}
