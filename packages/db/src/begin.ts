import type { SessionLimits } from "./pool.ts";
import type { RequestDeadline } from "./request-deadline.ts";

/** The isolation level of a transaction. */
export type TransactionMode = "read committed" | "repeatable read read only";

/** Milliseconds by which the server's limit is later than the deadline, so that the deadline's clearer error is thrown. */
const serverGraceMs = 1_000;

/**
 * Returns the statement that begins a transaction. If a cancel request does not reach the server, `transaction_timeout`
 * prevents a COMMIT from succeeding long after the request was given up. Setting it costs a tenth of the time of a short
 * transaction, so that a transaction with nearly all of its request's time left uses the connection's setting.
 * @param limits to set for this transaction, because a pooler keeps no settings of sessions; undefined without a pooler
 * @param reusesPlans see `TransactionOptions`
 */
export function begin(
  mode: TransactionMode,
  transactionTimeoutMs: number | undefined,
  deadline: RequestDeadline | undefined,
  limits?: SessionLimits,
  reusesPlans = false,
): string {
  const writes = mode === "read committed";
  const level = writes ? "" : ` ISOLATION LEVEL ${mode.toUpperCase()}`;
  const text = `BEGIN${level}${reusesPlans ? reusedPlans : ""}`;
  const remainingMs = (writes ? deadline : undefined)?.remainingMs ?? Number.POSITIVE_INFINITY;
  const limit = Math.max(remainingMs, 0) + serverGraceMs;
  const own = limits ? settings(limits) : "";
  if (transactionTimeoutMs === undefined) return `${text}${own}`;
  if (limits) return `${text}${own}${timeout(Math.min(limit, transactionTimeoutMs))}`;
  return limit + serverGraceMs > transactionTimeoutMs ? text : `${text}${timeout(limit)}`;
}

/**
 * Makes PostgreSQL use one plan for all values of a statement. By default it estimates that a new plan for each array is
 * cheaper, but planning can take longer than running the statement (docs/decisions/086). Forbids sequential scans: a plan
 * that was made while a table was empty would scan the table for each row until it is analyzed again.
 */
const reusedPlans =
  "; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off";

function timeout(ms: number): string {
  return ms === Number.POSITIVE_INFINITY
    ? ""
    : `; SET LOCAL transaction_timeout = ${Math.ceil(ms)}`;
}

function settings({ statementTimeoutMs, idleInTransactionMs }: SessionLimits): string {
  return (
    `; SET LOCAL statement_timeout = ${statementTimeoutMs}` +
    `; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`
  );
}
