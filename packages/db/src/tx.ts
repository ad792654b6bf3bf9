import type pg from "pg";

import { LockGuard, markPlace } from "./lock-guard.ts";
import type { Lock } from "./lock-order.ts";
import type { PostCommitBus, PostCommitTopic } from "./post-commit.ts";
import type { TransactionPrisma } from "./prisma-on-connection.ts";
import type { LazyPrismaClient } from "./lazy-prisma-client.ts";
import { run, type Sql } from "./sql.ts";
import { sqlState } from "./sql-errors.ts";
import { checkedRows, type Statement } from "./statement.ts";

/** SQLSTATE of every statement after a failed one. */
const inFailedTransaction = "25P02";

/** What a transaction needs in addition to its connection. */
export interface TxParts {
  readonly prismaClient: Pick<LazyPrismaClient, "enter">;
  readonly postCommit: PostCommitBus;
  /** Whether it checks the order of its locks. */
  readonly checkLocks: boolean;
}

/** A statement to be sent with the COMMIT, the lock that it takes, and the code that asked for it. */
interface DeferredStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly lock: Lock | undefined;
  readonly place: Error | undefined;
}

/** An open transaction: SQL and Prisma on one connection, and hooks to run after the commit. */
export class Tx implements Sql {
  readonly #connection: pg.PoolClient;
  readonly #prismaClient: TxParts["prismaClient"];
  readonly #withCommit: DeferredStatement[] = [];
  readonly #afterCommit: Array<() => void> = [];
  readonly #postCommit: PostCommitBus;
  readonly #locks: LockGuard | undefined;
  #savepoints = 0;
  /** Why the transaction accepts no more statements; undefined while it does. */
  #closedReason: unknown;
  /** The error after which the server rejects further statements. */
  #failure: unknown;
  #prisma: ReturnType<LazyPrismaClient["enter"]> | undefined;

  constructor(connection: pg.PoolClient, { prismaClient, postCommit, checkLocks }: TxParts) {
    this.#connection = connection;
    this.#prismaClient = prismaClient;
    this.#postCommit = postCommit;
    this.#locks = checkLocks ? new LockGuard() : undefined;
  }

  async rows<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return checkedRows(statement, (await this.#run(statement, values)).rows);
  }

  /** Returns how many rows the statement changed. */
  async count(statement: Statement, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  /** Returns the first row, or undefined. */
  async first<Row>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0];
  }

  /**
   * Takes a lock, which is held until the transaction ends: the only way to wait for other transactions
   * (docs/decisions/018).
   * @param statement takes it, in the ascending order of its keys
   * @throws Error when the order is checked and the lock is out of order
   */
  async lock<Row>(
    lock: Lock,
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const taken = this.#locks?.take(lock);
    const rows = await this.rows<Row>(statement, values);
    if (taken && !lock.keys && !lock.fresh) taken(rows.map((row) => (row as { id: number }).id));
    return rows;
  }

  /** Identifies the database in caches of a process: the same object for all its transactions. */
  get database(): object {
    return this.#prismaClient;
  }

  /** Returns Prisma Client on this transaction's connection. Its statements and SQL must not overlap in time. */
  async prisma(): Promise<TransactionPrisma> {
    if (this.#closedReason) throw this.#closedReason;
    this.#prisma ??= this.#prismaClient.enter(this.#connection);
    return (await this.#prisma).prisma;
  }

  /**
   * Sends a statement together with the COMMIT, so that a lock which it takes is held no longer than the server needs.
   * Its rows are dropped; its failure fails the transaction.
   */
  sendWithCommit(statement: Statement, values: readonly unknown[] = [], lock?: Lock): void {
    const place = lock && this.#locks && markPlace();
    this.#withCommit.push({ statement, values, lock, place });
  }

  /** Runs `hook` once the transaction has committed, never when it rolled back. It must not throw. */
  afterCommit(hook: () => void): void {
    this.#afterCommit.push(hook);
  }

  /** Publishes the message to this process's subscribers once the transaction has committed. */
  publishAfterCommit<Message>(topic: PostCommitTopic<Message>, message: Message): void {
    this.afterCommit(() => this.#postCommit.publish(topic, message));
  }

  /**
   * Runs `work` in a savepoint, and then the statements that it wanted sent with the commit. When one fails, all of it and
   * its after-commit hooks are undone and the error is thrown, while the transaction stays usable.
   */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${++this.#savepoints}`;
    const hooks = this.#afterCommit.length;
    const deferred = this.#withCommit.length;
    const locks = this.#locks?.mark ?? 0;
    await this.#run(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      await Promise.all(this.#sendDeferred(deferred));
      await this.#run(`RELEASE SAVEPOINT ${name}`);
      return result;
    } catch (error) {
      this.#afterCommit.length = hooks;
      this.#withCommit.length = Math.min(this.#withCommit.length, deferred);
      await this.#run(`ROLLBACK TO SAVEPOINT ${name}`);
      this.#failure = undefined;
      this.#locks?.forget(locks);
      throw error;
    }
  }

  /** Statements behind a failed one in the pipeline fail because of it: their error is replaced by the first one. */
  async #run(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult> {
    if (this.#closedReason) throw this.#closedReason;
    try {
      return await run(this.#connection, statement, values);
    } catch (error) {
      if (this.#failure !== undefined && sqlState(error) === inFailedTransaction)
        throw this.#failure;
      this.#failure = error;
      throw error;
    }
  }

  /** @internal Called by {@link transaction} at the end: later statements would run on a released connection. */
  close(reason: unknown): void {
    this.#closedReason = reason;
  }

  /** @internal Called by {@link transaction} before it ends: Prisma releases the connection. */
  async ending(): Promise<void> {
    await (await this.#prisma)?.leave();
  }

  /**
   * @internal called by {@link transaction}
   * @returns whether it committed: PostgreSQL rolls back, without an error, if a statement had failed
   */
  async commit(): Promise<boolean> {
    const deferred = this.#sendDeferred(0);
    const [{ command }] = await Promise.all([run(this.#connection, "COMMIT"), ...deferred]);
    return command === "COMMIT";
  }

  /** Sends the statements deferred to the commit, from number `first` on. */
  #sendDeferred(first: number): Array<Promise<unknown>> {
    return this.#withCommit.splice(first).map(({ statement, values, lock, place }) => {
      if (lock) this.#locks?.take(lock, place);
      return this.rows(statement, values);
    });
  }

  /** @internal called by {@link transaction} */
  committed(): void {
    for (const hook of this.#afterCommit) hook();
  }
}
