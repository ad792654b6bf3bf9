import { lockClass, lockKey, statement, type Tx } from "@carillon/db";

/** Milliseconds that a claim waits for an edit or a delete that holds a row. */
const lockTimeoutMs = 2_000;

/**
 * Maximum milliseconds of one statement. A statement of a full batch takes 150 ms on an idle machine. A row that takes too
 * long delays the rows behind it by this time in each batch that it fails. Tried alone, it delays no other row and has the
 * whole time of a job, unless it locks its destination (`locksDestination`): then it has the time of a batch.
 */
const statementTimeoutMs = { batch: 5_000, single: 20_000 } as const;

/**
 * Forces generic plans: PostgreSQL estimates that a custom plan is cheaper for an array of hundreds of elements, but making
 * that plan takes half as long as running it. Forbids sequential scans: a plan that was made while a table was empty would
 * scan it once for each row of a batch until the table is analyzed again.
 */
const settings = (
  statementTimeout: string,
) => `set_config('lock_timeout', '${lockTimeoutMs}', true) AS timeout,
    set_config('statement_timeout', ${statementTimeout}, true) AS "statementTimeout",
    set_config('plan_cache_mode', 'force_generic_plan', true) AS plans,
    set_config('enable_seqscan', 'off', true) AS scans`;

const configure = statement({
  name: "deliver-settings",
  text: `SELECT ${settings("$1")}`,
});

const tryLock = statement({
  name: "deliver-lock",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.deliver}, $1) AS held,
    ${settings(`'${statementTimeoutMs.batch}'`)}`,
});

/**
 * Tries to take the organization's delivery lock, which is held until the transaction ends. A separate statement, so that
 * the claim after it sees the commit of the previous holder.
 * @returns false if another transaction has the lock
 */
export async function tryDeliveryLock(tx: Tx, realmId: number): Promise<boolean> {
  const lock = await tx.first(tryLock, [realmId]);
  return lock?.held === true;
}

/**
 * Takes the delivery lock for rows whose try has been counted. Waits for the lock, because another job may hold it for a
 * moment to count a try of the same rows. That job finds their lease and leaves the rows to this transaction. If this
 * transaction gave up as well, no job would send the rows before the lease ends.
 * @throws lock timeout after {@link lockTimeoutMs}
 */
export async function awaitDeliveryLock(tx: Tx, realmId: number): Promise<void> {
  await configureDelivery(tx);
  await lockKey(tx, "deliver", realmId);
}

/**
 * Sets the timeouts and the planner settings of a delivery. Does not take the delivery lock.
 * @param mode what the transaction delivers: rows that share a batch, or one row that is tried singly
 */
export async function configureDelivery(tx: Tx, mode: "batch" | "single" = "batch"): Promise<void> {
  await tx.rows(configure, [String(statementTimeoutMs[mode])]);
}
