import type pg from "pg";

import { begin, type TransactionMode } from "./begin.ts";
import type { SessionLimits } from "./pool.ts";
import { holdConnection, type HeldConnection } from "./held-connection.ts";
import type { RequestDeadline } from "./request-deadline.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";
import { run } from "./sql.ts";
import { isTransactionConflict, sqlState } from "./sql-errors.ts";
import { Tx, type TxParts } from "./tx.ts";

/** What the transactions of one database have in common. */
export interface TransactionParts extends TxParts {
  readonly pool: pg.Pool;
  /**
   * Milliseconds after which the server ends any transaction; infinite without a limit, undefined before PostgreSQL 17,
   * which has no `transaction_timeout`.
   */
  readonly transactionTimeoutMs: number | undefined;
  /** Limits that each transaction sets, because the pool connects to a pooler; undefined without one. */
  readonly limits?: SessionLimits | undefined;
}

export interface TransactionOptions {
  /** `read committed` unless given. */
  mode?: TransactionMode;
  /**
   * Maximum attempts if the transaction fails with a serialization failure or a deadlock; {@link defaultAttempts} by
   * default.
   */
  attempts?: number;
  /**
   * Whether its writes are a side effect that may stay when the request fails, so that they do not make the request
   * count as partly carried out. Read-only transactions never count.
   */
  incidental?: boolean;
  /**
   * Whether PostgreSQL makes one plan for each statement, instead of one for each set of values. Use it for short
   * transactions whose statements find their rows by indexes for all values.
   */
  reusesPlans?: boolean;
}

/** What runs transactions with one kind of result, such as a database. */
export interface Transacts<T> {
  /** Runs `work` in one transaction, as {@link transaction} does. A transaction of several requests has its own options. */
  transaction(
    work: (tx: Tx) => Promise<T>,
    options?: Pick<TransactionOptions, "reusesPlans">,
  ): Promise<T>;
}

/**
 * With the pauses of `retry-pause.ts`, eight attempts take about a third of a second on average. Three attempts without
 * a pause all failed when one client changed its settings in a loop.
 */
export const defaultAttempts = 8;

/**
 * Runs `work` in one transaction and commits it; any error rolls everything back and is thrown. After a serialization
 * failure or a deadlock `work` runs again from the start, after a random pause: it must have no effect outside the
 * transaction.
 * @param deadline when it ends, the transaction is rolled back and its reason thrown
 */
export async function transaction<T>(
  parts: TransactionParts,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
  deadline?: RequestDeadline,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(parts, work, options, deadline);
    } catch (error) {
      if (attempt >= (options.attempts ?? defaultAttempts) || !isTransactionConflict(error))
        throw error;
    }
    await pauseBeforeRetry(attempt, deadline);
  }
}

async function once<T>(
  parts: TransactionParts,
  work: (tx: Tx) => Promise<T>,
  { mode = "read committed", incidental = false, reusesPlans }: TransactionOptions,
  deadline: RequestDeadline | undefined,
): Promise<T> {
  const counts = mode === "read committed" && !incidental;
  const held = await holdConnection(parts.pool, deadline);
  const tx = new Tx(held.connection, parts);
  try {
    // Sent with the first statement. BEGIN fails only if the connection fails, and then all statements do: nothing is
    // cancelled before it is answered.
    const begun = run(
      held.connection,
      begin(mode, parts.transactionTimeoutMs, deadline, parts.limits, reusesPlans),
    );
    held.beginning(begun);
    const [result] = await held.unlessEnded(Promise.all([work(tx), begun]));
    await tx.ending();
    await commit(tx, held, counts ? deadline : undefined);
    return result;
  } catch (error) {
    tx.close(deadline?.reason ?? error);
    await tx.ending().catch(() => {});
    await held.rollBack();
    throw deadline?.reason ?? error;
  } finally {
    await held.release();
  }
}

/** @param deadline deadline of the request whose commits are counted; undefined if this one is not counted */
async function commit(
  tx: Tx,
  held: HeldConnection,
  deadline: RequestDeadline | undefined,
): Promise<void> {
  held.committing();
  let committed: boolean;
  try {
    committed = await tx.commit();
  } catch (error) {
    if (deadline && (held.cutOff || isCommitUncertain(error))) deadline.uncertain = true;
    throw error;
  }
  if (!committed)
    throw new Error("a transaction went on after the error of a failed statement was swallowed");
  if (deadline) deadline.commits++;
  tx.committed();
}

/** Returns whether a failed COMMIT may have taken effect: its connection broke, or the server stopped. */
function isCommitUncertain(error: unknown): boolean {
  return /^(08|57P)/.test(sqlState(error) ?? "08");
}
