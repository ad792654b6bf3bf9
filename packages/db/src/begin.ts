import type { RequestDeadline } from "./request-deadline.ts";

/** What the statements of a transaction see of others. */
export type TransactionMode = "read committed" | "repeatable read read only";

/** Milliseconds by which the server's own limit comes later than ours, which can say what it is. */
const serverLater = 1_000;

/**
 * The statement that begins a transaction. Where our own cancelling does not reach the server, its `transaction_timeout` sees to it that a COMMIT which is
 * under way does not come true long after we have given up. Setting it for a transaction costs a tenth of a short
 * one's time, so that those which begin right after their request have the connection's.
 */
export function begin(
  mode: TransactionMode,
  transactionTimeoutMs: number | undefined,
  deadline: RequestDeadline | undefined,
): string {
  if (mode !== "read committed") return `BEGIN ISOLATION LEVEL ${mode.toUpperCase()}`;
  const limit = Math.max(deadline?.remainingMs ?? Number.POSITIVE_INFINITY, 0) + serverLater;
  if (transactionTimeoutMs === undefined || limit === Number.POSITIVE_INFINITY) return "BEGIN";
  if (limit + serverLater > transactionTimeoutMs) return "BEGIN";
  return `BEGIN; SET LOCAL transaction_timeout = ${Math.ceil(limit)}`;
}
