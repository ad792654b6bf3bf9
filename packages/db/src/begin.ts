import type { RequestDeadline } from "./request-deadline.ts";

/** The isolation level of a transaction. */
export type TransactionMode = "read committed" | "repeatable read read only";

/** Milliseconds by which the server's limit is later than the deadline, so that the deadline's clearer error is thrown. */
const serverGraceMs = 1_000;

/**
 * Returns the statement that begins a transaction. If a cancel request does not reach the server, `transaction_timeout`
 * prevents a COMMIT from succeeding long after the request was given up. Setting it costs a tenth of the time of a short
 * transaction, so that a transaction with nearly all of its request's time left uses the connection's setting.
 */
export function begin(
  mode: TransactionMode,
  transactionTimeoutMs: number | undefined,
  deadline: RequestDeadline | undefined,
): string {
  if (mode !== "read committed") return `BEGIN ISOLATION LEVEL ${mode.toUpperCase()}`;
  const limit = Math.max(deadline?.remainingMs ?? Number.POSITIVE_INFINITY, 0) + serverGraceMs;
  if (transactionTimeoutMs === undefined || limit === Number.POSITIVE_INFINITY) return "BEGIN";
  if (limit + serverGraceMs > transactionTimeoutMs) return "BEGIN";
  return `BEGIN; SET LOCAL transaction_timeout = ${Math.ceil(limit)}`;
}
